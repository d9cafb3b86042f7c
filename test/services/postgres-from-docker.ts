import { docker, dockerAnswers } from './docker-engine.js';
import { freePort } from './free-port.js';
import {
  openBackend,
  type PostgresOptions,
  type PostgresServer,
  queryOnce,
  serverSettings,
} from './postgres-server.js';
import { type Unavailable, unavailable } from './service.js';
import { waitFor } from './wait-for.js';
import { openWorkspace } from './workspace.js';

/**
 * The same server in a container. Its data lives in the container's own volume, so that it survives
 * stop, kill and start, and goes with the container.
 */
export async function postgresFromDocker(
  options: PostgresOptions = {},
): Promise<PostgresServer | Unavailable> {
  if (!(await dockerAnswers())) return unavailable('no Docker engine answers');
  const port = await freePort();
  const container = `postrider-services-${process.pid}-${port}`;
  const workspace = openWorkspace('postgres');
  workspace.record({ container });
  const publish = `127.0.0.1:${port}:5432`;
  const trust = 'POSTGRES_HOST_AUTH_METHOD=trust';
  try {
    await docker(
      'run',
      '--detach',
      '--name',
      container,
      '--publish',
      publish,
      '--env',
      trust,
      IMAGE,
      ...['postgres', ...serverSettings(options)],
    );
  } catch (error) {
    workspace.remove();
    return unavailable(
      `docker could not run ${IMAGE}: ${(error as Error).message.trim().split('\n').at(-1)}`,
    );
  }

  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const runs = async () => (await docker('inspect', '--format', '{{.State.Running}}', container)) === 'true';
  const ready = () =>
    waitFor(() => queryOnce(url, 'select 1'), {
      timeoutMs: 60_000,
      what: `${container} to take connections`,
    });
  const end = async (signal: 'INT' | 'QUIT' | 'KILL') => {
    if (!(await runs())) return;
    await docker('kill', '--signal', signal, container);
    await docker('wait', container);
  };
  await ready();
  return {
    url,
    dataDir: '/var/lib/postgresql/data',
    origin: `Docker image ${IMAGE}, port ${port}`,
    async start() {
      await docker('start', container);
      await ready();
    },
    stop: (mode) => end(mode === 'fast' ? 'INT' : 'QUIT'),
    kill: () => end('KILL'),
    openBackend: () =>
      openBackend(url, async (pid) => {
        await docker('exec', container, 'kill', '-KILL', String(pid));
      }),
    async remove() {
      workspace.remove();
    },
  };
}

const IMAGE = 'postgres:16-alpine';
