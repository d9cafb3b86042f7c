import { docker, dockerAnswers } from './docker-engine.js';
import { freePort } from './free-port.js';
import { RABBIT_LOGIN, type RabbitServer } from './rabbitmq-server.js';
import { runRabbitControl } from './run-rabbit-control.js';
import { type Unavailable, unavailable } from './service.js';
import { waitFor } from './wait-for.js';
import { openWorkspace } from './workspace.js';

/** The same broker in a container; its data survives stop, kill and start, and goes with the container. */
export async function rabbitFromDocker(): Promise<RabbitServer | Unavailable> {
  if (!(await dockerAnswers())) return unavailable('no Docker engine answers');
  const port = await freePort();
  const container = `postrider-services-${process.pid}-${port}`;
  const workspace = openWorkspace('rabbitmq');
  workspace.record({ container });
  const control = { command: ['docker', 'exec', container, 'rabbitmqctl'], env: {} };
  const login = [
    '--env',
    `RABBITMQ_DEFAULT_USER=${RABBIT_LOGIN}`,
    '--env',
    `RABBITMQ_DEFAULT_PASS=${RABBIT_LOGIN}`,
  ];
  const place = ['--name', container, '--hostname', 'localhost', '--publish', `127.0.0.1:${port}:5672`];
  try {
    await docker('run', '--detach', ...place, ...login, IMAGE);
  } catch (error) {
    workspace.remove();
    return unavailable(
      `docker could not run ${IMAGE}: ${(error as Error).message.trim().split('\n').at(-1)}`,
    );
  }
  const ready = () =>
    waitFor(() => runRabbitControl(control, 'await_startup', '--timeout', '30'), {
      timeoutMs: 90_000,
      what: `${container} to start`,
    });
  await ready();
  return {
    url: `amqp://${RABBIT_LOGIN}:${RABBIT_LOGIN}@127.0.0.1:${port}`,
    node: 'rabbit@localhost',
    origin: `Docker image ${IMAGE}, port ${port}`,
    control,
    async start() {
      await docker('start', container);
      await ready();
    },
    async stop() {
      await docker('stop', container);
    },
    async kill() {
      await docker('kill', container);
    },
    async remove() {
      workspace.remove();
    },
  };
}

const IMAGE = 'rabbitmq:3-alpine';
