import { expect, test } from 'vitest';
import { networkOf } from './sign-in-limits.js';

test.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['192.0.2.1', '192.0.2.1'],
])('%s → counted as %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});

test('no address, or something that is none → still counted as one', () => {
  expect([networkOf(null), networkOf('abc')]).toEqual(['unknown', 'abc']);
});
