import type { Socket } from 'node:net';
import type { SMTPServer } from 'smtp-server';
import { networkOf } from '../../access/index.js';

/**
 * Holds one address (of IPv6 a network of 64 bits) to its share of connections that have not signed in. They cost a
 * client nothing, so without a limit one client could take every place of the process and nobody else could sign in. A
 * connection counts from the moment it is accepted until it signs in or its socket is closed.
 */
export function limitUnauthenticated(
  server: SMTPServer,
  { maxConnections, maxUnauthenticatedPerAddress }: UnauthenticatedLimit,
): { signedIn(id: string): void } {
  const most = maxUnauthenticatedPerAddress ?? Math.max(1, Math.floor(maxConnections / USUAL_SHARE));
  const addressOf = new Map<string, string>();
  const open = new Map<string, number>();

  function enter(id: string, address: string): boolean {
    const own = (open.get(address) ?? 0) + 1;
    open.set(address, own);
    addressOf.set(id, address);
    return own <= most;
  }

  /** Does nothing a second time. */
  function leave(id: string): void {
    const address = addressOf.get(id);
    if (address === undefined) return;
    addressOf.delete(id);
    const left = open.get(address)! - 1;
    if (left > 0) open.set(address, left);
    else open.delete(address);
  }

  // Not in onConnect, which is called a moment later: a connection takes its place at once.
  const connect = server.connect.bind(server);
  server.connect = (socket: Socket, options: { id: string }) => {
    const { id } = options;
    // One that is closed by now does not say so again.
    const mayStay = socket.closed || enter(id, networkOf(socket.remoteAddress ?? null));
    socket.once('close', () => leave(id));
    connect(socket, options);
    if (mayStay) return;
    for (const connection of server.connections as Set<Refusable>)
      if (connection.session.id === id)
        connection.send(421, '4.7.0 Too many connections of this address have not signed in');
  };
  return { signedIn: leave };
}

export interface UnauthenticatedLimit {
  maxConnections: number;
  /** Null: a fifth of all. */
  maxUnauthenticatedPerAddress: number | null;
}

const USUAL_SHARE = 5;

interface Refusable {
  session: { id: string };
  send(code: number, text: string): void;
}
