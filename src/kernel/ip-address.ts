import { BlockList, isIP } from 'node:net';

/** Whether an address, as a socket tells it, is one of this machine. A name is not an address. */
export function isLoopbackAddress(address: string): boolean {
  return isIn(LOOPBACK, address);
}

/** The same, or one of a private network, as behind the port mapping of a container. */
export function isPrivateAddress(address: string): boolean {
  return isIn(PRIVATE, address);
}

/** Whether listening on this host is listening to this machine alone. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host);
}

/** An IPv4 address in IPv6 form (`::ffff:127.0.0.1`) falls under the rules for IPv4. */
function isIn(list: BlockList, address: string): boolean {
  const [plain = ''] = address.split('%');
  const version = isIP(plain);
  return version !== 0 && list.check(plain, version === 4 ? 'ipv4' : 'ipv6');
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const PRIVATE = new BlockList();
for (const [net, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv4');
PRIVATE.addAddress('::1', 'ipv6');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');
