/**
 * Where a request came from, for limits and the audit log: the socket's other end, or, behind proxies the operator
 * has counted, the address the outermost of them saw. What a client writes into the header itself is never believed.
 */
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

export function clientAddress(c: Context, trustedProxies: number): string | null {
  const socket = (c.env as Partial<HttpBindings> | undefined)?.incoming?.socket.remoteAddress ?? null;
  if (trustedProxies === 0) return socket;
  const hops = (c.req.header('x-forwarded-for') ?? '').split(',').map((hop) => hop.trim());
  const seen = hops.at(-trustedProxies);
  return seen && ADDRESS.test(seen) ? seen : socket;
}

const ADDRESS = /^[0-9A-Fa-f:.]{2,45}$/;
