import { docker, dockerAnswers } from './docker-engine.js';
import { freePort } from './free-port.js';
import { answersPing } from './redis-from-binaries.js';
import { type RedisServer, type RedisServerOptions, redisSettings } from './redis-server.js';
import { type Unavailable, unavailable } from './service.js';
import { waitFor } from './wait-for.js';
import { openWorkspace } from './workspace.js';

/** The same Redis in a container. */
export async function redisFromDocker(options: RedisServerOptions = {}): Promise<RedisServer | Unavailable> {
  if (!(await dockerAnswers())) return unavailable('no Docker engine answers');
  const port = await freePort();
  const container = `postrider-services-${process.pid}-${port}`;
  const workspace = openWorkspace('redis');
  workspace.record({ container });
  const place = ['--name', container, '--publish', `127.0.0.1:${port}:6379`];
  try {
    await docker('run', '--detach', ...place, IMAGE, 'redis-server', ...redisSettings(options));
  } catch (error) {
    workspace.remove();
    return unavailable(
      `docker could not run ${IMAGE}: ${(error as Error).message.trim().split('\n').at(-1)}`,
    );
  }
  const ready = () => waitFor(() => answersPing(port), { timeoutMs: 60_000, what: `${container} to answer` });
  await ready();
  return {
    url: `redis://127.0.0.1:${port}`,
    origin: `Docker image ${IMAGE}, port ${port}`,
    async start() {
      await docker('start', container);
      await ready();
    },
    async kill() {
      await docker('kill', container);
    },
    async remove() {
      workspace.remove();
    },
  };
}

const IMAGE = 'redis:7-alpine';
