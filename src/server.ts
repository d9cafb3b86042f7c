import { createHttpApp } from './doors/http/index.js';
import { createLogger, type Logger, systemClock } from './kernel/index.js';
import type { Postrider } from './postrider.js';
import { httpParts } from './regional-rooms.js';
import type { Regions } from './regions-contract.js';

/**
 * The HTTP API as one fetch function, to mount in a server of the application's own. Without a key of operators
 * it is open to loopback and answers nobody else.
 */
export interface ApiOptions {
  apiKey?: string;
  /** How many proxies stand in front and add to X-Forwarded-For. Defaults to none. */
  trustedProxies?: number;
  /** Defaults to 16 MB. */
  bodyLimitBytes?: number;
  logger?: Logger;
}

export function createApi(
  postrider: Postrider | Regions,
  options: ApiOptions = {},
): (request: Request) => Promise<Response> {
  const app = createHttpApp({
    ...httpParts(postrider),
    logger: options.logger ?? createLogger(),
    clock: systemClock,
    apiKey: options.apiKey ?? null,
    trustedProxies: options.trustedProxies ?? 0,
    bodyLimitBytes: options.bodyLimitBytes ?? 16 * 1024 ** 2,
  });
  return async (request) => app.fetch(request);
}
