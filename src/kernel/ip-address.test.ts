import { expect, test } from 'vitest';
import { isLoopbackAddress, isLoopbackHost, isPrivateAddress } from './ip-address.js';

test.each([
  ['127.0.0.1', true, true],
  ['127.255.0.9', true, true],
  ['::1', true, true],
  ['0:0:0:0:0:0:0:1', true, true],
  ['::ffff:127.0.0.1', true, true],
  ['::ffff:7f00:1', true, true],
  ['::1%lo', true, true],
  ['10.1.2.3', false, true],
  ['172.17.0.1', false, true],
  ['::ffff:192.168.1.1', false, true],
  ['fe80::1%eth0', false, true],
  ['fd00::1', false, true],
  ['128.0.0.1', false, false],
  ['203.0.113.9', false, false],
  ['::ffff:203.0.113.9', false, false],
  ['2001:db8::1', false, false],
  ['::', false, false],
  ['0.0.0.0', false, false],
  ['localhost', false, false],
  ['127.1', false, false],
  ['127.0.0.1.evil.example', false, false],
  ['127.0.0.1, 203.0.113.9', false, false],
  ['', false, false],
])('%s → of this machine: %s, of a private network: %s', (address, loopback, inside) => {
  expect([isLoopbackAddress(address), isPrivateAddress(address)]).toEqual([loopback, inside]);
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['127.999.0.1', false],
  ['mail.example.com', false],
])('listening on %s → reached by this machine alone: %s', (host, alone) => {
  expect(isLoopbackHost(host)).toBe(alone);
});
