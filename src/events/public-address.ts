import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * Whether an IP address is one of the public internet. Everything that leads back to this machine, its network, a
 * cloud's metadata or nowhere is not; of IPv6 only global unicast is, without the ranges that carry an IPv4 address.
 */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').split('%', 1)[0]!;
  if (isIP(plain) === 0) return false;
  if (!isIPv6(plain)) return !PRIVATE.check(plain, 'ipv4');
  return GLOBAL.check(plain, 'ipv6') && !PRIVATE.check(plain, 'ipv6');
}

const GLOBAL = new BlockList();
GLOBAL.addSubnet('2000::', 3, 'ipv6');

const PRIVATE = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['2001::', 23], // Teredo and other special uses
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4
  ['3fff::', 20],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv6');
