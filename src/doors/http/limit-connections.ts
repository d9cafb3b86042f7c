/**
 * Holds a server to so many connections, and one address to its share of them. A connection beyond that is let in as far
 * as a refusal of its first request: an answer that says when to come back is understood, a reset is not. Of those there
 * are few at a time and each has two seconds; what comes beyond them is dropped.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../../access/index.js';
import { newId, PostriderError } from '../../kernel/index.js';
import { problem } from './problem.js';
import { isResendPath, resendError } from './resend/resend-error.js';
import { USUAL_CONNECTIONS, USUAL_CONNECTIONS_PER_ADDRESS } from './settings.js';

export interface ConnectionLimits {
  maxConnections?: number | undefined;
  /** Not counted where proxies stand in front: then all connections have their address. */
  maxConnectionsPerAddress?: number | undefined;
  trustedProxies?: number | undefined;
}

export function limitConnections(
  server: Server,
  {
    maxConnections: most = USUAL_CONNECTIONS,
    maxConnectionsPerAddress: mostOfOne = USUAL_CONNECTIONS_PER_ADDRESS,
    trustedProxies = 0,
  }: ConnectionLimits,
): { refuses(request: IncomingMessage, response: ServerResponse): boolean } {
  const ofAddress = new Map<string, number>();
  const tooMany = new WeakMap<Socket, string>();
  let open = 0;

  function admit(socket: Socket): void {
    const address = networkOf(socket.remoteAddress ?? null);
    const own = (ofAddress.get(address) ?? 0) + 1;
    open += 1;
    ofAddress.set(address, own);
    socket.once('close', () => {
      open -= 1;
      const left = ofAddress.get(address)! - 1;
      if (left > 0) ofAddress.set(address, left);
      else ofAddress.delete(address);
    });
    const why =
      open > most
        ? `${most} connections are open`
        : trustedProxies === 0 && own > mostOfOne
          ? `${mostOfOne} connections of one address are open`
          : null;
    if (why === null) return;
    tooMany.set(socket, why);
    const cut = setTimeout(() => socket.destroy(), REFUSED_WITHIN_MS);
    socket.once('close', () => clearTimeout(cut));
  }

  server.maxConnections = most + Math.max(LEAST_REFUSED_AT_ONCE, Math.ceil(most / 10));
  server.on('connection', admit);
  return {
    refuses(request, response) {
      const why = tooMany.get(request.socket);
      if (why === undefined) return false;
      refuse(request, response, why).catch(() => request.socket.destroy());
      return true;
    },
  };
}

const REFUSED_WITHIN_MS = 2000;
const LEAST_REFUSED_AT_ONCE = 16;

async function refuse(request: IncomingMessage, response: ServerResponse, why: string): Promise<void> {
  const error = new PostriderError('TOO_MANY_CONNECTIONS', `${why}, which is the limit of this process.`, {
    retryAfterSeconds: 1,
  });
  const answer = isResendPath(request.url?.split('?')[0] ?? '')
    ? resendError(error, { caller: undefined, hasKey: request.headers.authorization !== undefined })
    : problem(error, newId());
  const body = await answer.text();
  const write = () => {
    response.writeHead(answer.status, {
      ...Object.fromEntries(answer.headers),
      Connection: 'close',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  };
  // Closed with a body that nobody read, the client would see a reset instead of the answer.
  if (request.complete) return write();
  request.once('end', write).resume();
}
