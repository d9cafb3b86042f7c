import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { Context } from 'hono';

/** What the server that took a connection tells the app about it. */
export interface Connection {
  /** The address of the socket's other end; whatever is not an IP address counts as unknown. */
  remoteAddress?: string | null | undefined;
}

/** A server of our own gives its request and answer along. */
export interface Served extends Connection {
  incoming?: IncomingMessage;
  outgoing?: ServerResponse;
}

/** The other end of the connection, whatever the request says of itself; null where the server did not tell. */
export function connectionAddress(c: Context): string | null {
  const address = (c.env as Connection | undefined)?.remoteAddress;
  return typeof address === 'string' && isIP(address) !== 0 ? address : null;
}

/**
 * Where a request came from, for limits and the audit log: the connection's other end, or, behind proxies the operator
 * has counted, the address the outermost of them saw. What a client writes into the header itself is never believed.
 */
export function clientAddress(c: Context, trustedProxies: number): string | null {
  const direct = connectionAddress(c);
  if (trustedProxies === 0) return direct;
  const seen = withoutPort((c.req.header('x-forwarded-for') ?? '').split(',').at(-trustedProxies) ?? '');
  return isIP(seen) === 0 ? direct : seen;
}

/** Some proxies add the port, which would make every connection a place of its own: `192.0.2.1:4711`, `[::1]:4711`. */
function withoutPort(hop: string): string {
  const text = hop.trim();
  if (isIP(text) !== 0) return text;
  const [, inBrackets, beforePort] = /^(?:\[(.{2,45})\]|([\d.]{7,15}))(?::\d{1,5})?$/.exec(text) ?? [];
  return inBrackets ?? beforePort ?? '';
}
