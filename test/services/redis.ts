import { installPackages } from './debian-packages.js';
import { redisFromBinaries } from './redis-from-binaries.js';
import { redisFromDocker } from './redis-from-docker.js';
import type { RedisServer, RedisServerOptions } from './redis-server.js';
import { type Attempt, type Service, type Unavailable, unavailable } from './service.js';

/**
 * Redis for the tests: one server, a key prefix per test. One named by TEST_REDIS_URL is used and never stopped
 * or emptied.
 */
export const redis: Service = {
  name: 'redis',
  ways: [
    fromEnvironment,
    async () => attempt(await redisFromBinaries()),
    async () => attempt(await redisFromDocker()),
    async () => attempt(await redisFromPackages({})),
  ],
};

async function fromEnvironment(): Promise<Attempt> {
  const url = process.env.TEST_REDIS_URL;
  if (!url) return unavailable('TEST_REDIS_URL is not set');
  return { running: true, url, origin: `TEST_REDIS_URL, ${new URL(url).host}` };
}

/** A Redis for one test that empties, kills and starts it. Never the one of TEST_REDIS_URL. */
export async function startPrivateRedis(options: RedisServerOptions = {}): Promise<RedisServer> {
  const reasons: string[] = [];
  for (const way of [redisFromBinaries, redisFromDocker, redisFromPackages]) {
    const server = await way(options);
    if ('url' in server) return server;
    reasons.push(server.because);
  }
  throw new Error(`no Redis for a server of this test's own: ${reasons.join('; ')}`);
}

async function redisFromPackages(options: RedisServerOptions): Promise<RedisServer | Unavailable> {
  return (await installPackages('redis-server')) ?? redisFromBinaries(options);
}

function attempt(server: RedisServer | Unavailable): Attempt {
  return 'url' in server ? { running: true, url: server.url, origin: server.origin } : server;
}
