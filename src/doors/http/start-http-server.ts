/**
 * Puts an app on a port, with a limit to its connections. Slow senders and readers are cut off by time limits; stopping means: accept no more, finish
 * what is in flight, then close the sockets, at the latest at the deadline. Streams without an end are
 * ended at once, their clients come back by themselves.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { newId, PostriderError, type StopOptions } from '../../kernel/index.js';
import type { Served } from './client-address.js';
import { cutSlowReaders, type ReadingLimits } from './cut-slow-readers.js';
import { type ConnectionLimits, limitConnections } from './limit-connections.js';
import { oneAtATime } from './one-at-a-time.js';
import { problem } from './problem.js';

export interface HttpServerOptions extends ConnectionLimits {
  app: { fetch(request: Request, env: Served): Response | Promise<Response> };
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Other than the usual, for tests. */
  reading?: ReadingLimits;
}

export interface HttpServer {
  port: number;
  stop(options?: StopOptions): Promise<void>;
}

export async function startHttpServer({
  app,
  host,
  port,
  reading,
  ...limits
}: HttpServerOptions): Promise<HttpServer> {
  const streams = new Set<ServerResponse>();
  const fetch = async (request: Request, env: unknown): Promise<Response> => {
    const { incoming, outgoing } = env as HttpBindings;
    const response = await app.fetch(request, {
      remoteAddress: incoming.socket.remoteAddress,
      incoming,
      outgoing,
    });
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      streams.add(outgoing);
      outgoing.once('close', () => streams.delete(outgoing));
    }
    return response;
  };
  // The adapter would replace the global Request and Response; this process may be someone's application.
  const listener = getRequestListener(fetch, { overrideGlobalObjects: false, errorHandler: malformed });
  const serve = oneAtATime((request, response) => void listener(request, response));
  const server = createServer(TIME_LIMITS, (request, response) => {
    if (!connections.refuses(request, response)) serve(request, response);
  });
  const connections = limitConnections(server, limits);
  cutSlowReaders(server, reading);
  await listen(server, host, port);

  let stopped: Promise<void> | undefined;
  return {
    port: (server.address() as AddressInfo).port,
    stop: ({ deadlineMs = 10_000 } = {}) => {
      stopped ??= close(server, streams, deadlineMs);
      return stopped;
    },
  };
}

const TIME_LIMITS = {
  /** All headers within this, or 408: a trickle of header bytes holds no socket for long. */
  headersTimeout: 10_000,
  /** The whole request with its body. */
  requestTimeout: 60_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
};

/** What the adapter cannot make a request of (a broken Host or target) never reaches the app. */
function malformed(): Response {
  return problem(new PostriderError('INVALID_HEADER', 'The request line or Host is malformed.'), newId());
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is already in use' : `cannot be opened (${error.code})`;
      const message = `PORT ${port} on ${host} ${why}; set PORT to a free one, or 0.`;
      reject(new PostriderError('INVALID_CONFIG', message, { field: 'PORT', cause: error }));
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

async function close(server: Server, streams: Set<ServerResponse>, deadlineMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // close() ends idle sockets once; one that is busy now turns idle later and would wait for its timeout.
  server.on('request', (_request, response: ServerResponse) => response.setHeader('Connection', 'close'));
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), deadlineMs);
  for (const stream of streams) stream.destroy();
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
