import { type Connection, createHttpApp } from './doors/http/index.js';
import { createLogger, type Logger, PostriderError, systemClock } from './kernel/index.js';
import type { Postrider } from './postrider.js';
import { httpParts } from './regional-rooms.js';
import type { Regions } from './regions-contract.js';

/** The HTTP API as one fetch function, to mount in a server of the application's own: with a key, or explicitly open. */
export type ApiOptions = (WithKey | Open) & {
  /** How many proxies stand in front and add to X-Forwarded-For. Defaults to none. */
  trustedProxies?: number;
  /** Defaults to 16 MB. */
  bodyLimitBytes?: number;
  logger?: Logger;
};

export interface WithKey {
  /** The operators' key, as `Authorization: Bearer`. */
  apiKey: string;
  open?: false;
}

export interface Open {
  /** Connections from loopback are root, all others are refused; the address comes with every request. */
  open: true;
  apiKey?: undefined;
}

/** What the server that took the connection says of it. Sign-in limits and the audit log use it too. */
export type { Connection };

export type Api = (request: Request, connection?: Connection) => Promise<Response>;

export function createApi(postrider: Postrider | Regions, options: ApiOptions): Api {
  const apiKey = keyOf(options);
  const app = createHttpApp({
    ...httpParts(postrider),
    logger: options.logger ?? createLogger(),
    clock: systemClock,
    apiKey,
    trustedProxies: options.trustedProxies ?? 0,
    bodyLimitBytes: options.bodyLimitBytes ?? 16 * 1024 ** 2,
  });
  return async (request, connection) => app.fetch(request, { remoteAddress: connection?.remoteAddress });
}

/** Null stands for an open API, so a key that is missing by mistake must not become one. */
function keyOf({ apiKey, open }: Partial<WithKey | Open> = {}): string | null {
  if (open === true && apiKey === undefined) return null;
  if (open !== true && typeof apiKey === 'string') return apiKey;
  throw new PostriderError(
    'INVALID_CONFIG',
    'createApi takes either apiKey, or open: true for callers on this machine alone.',
    { field: 'apiKey' },
  );
}
