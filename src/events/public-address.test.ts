import { describe, expect, test } from 'vitest';
import { isPublicAddress } from './public-address.js';

describe('isPublicAddress', () => {
  test.each([
    '127.0.0.1',
    '127.255.0.9',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '[::1]',
    'fe80::1',
    'fe80::1%eth0',
    'fd00::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '2002:7f00:1::1',
    '2001:0:1::1',
    '2001:db8::1',
    'example.com',
    '',
  ])('%s → not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
    '%s → public',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  /** Of each range its first and last address, and the neighbours that are outside of all of them. */
  test.each<[string, string, string, string | null, string | null]>([
    ['0.0.0.0/8', '0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
    ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
    ['100.64.0.0/10', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
    ['127.0.0.0/8', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
    ['169.254.0.0/16', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
    ['172.16.0.0/12', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
    ['192.0.0.0/24', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
    ['192.0.2.0/24', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
    ['192.88.99.0/24', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
    ['192.168.0.0/16', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
    ['198.18.0.0/15', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
    ['198.51.100.0/24', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
    ['203.0.113.0/24', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
    ['224.0.0.0/3', '224.0.0.0', '255.255.255.255', '223.255.255.255', null],
    ['outside of 2000::/3, below', '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, '2000::'],
    ['2001::/23', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff:ffff::', '2001:200::'],
    [
      '2001:db8::/32',
      '2001:db8::',
      '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001:db7:ffff::',
      '2001:db9::',
    ],
    ['2002::/16', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff:ffff::', '2003::'],
    ['3fff::/20', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff:ffff::', '3fff:1000::'],
    [
      'outside of 2000::/3, above',
      '4000::',
      'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
      '3fff:ffff:ffff::',
      null,
    ],
  ])(
    '%s → its first and last address are not public, those beside it are',
    (_, first, last, below, above) => {
      for (const address of [first, last])
        expect([address, isPublicAddress(address)]).toEqual([address, false]);
      for (const address of [below, above])
        if (address !== null) expect([address, isPublicAddress(address)]).toEqual([address, true]);
    },
  );
});
