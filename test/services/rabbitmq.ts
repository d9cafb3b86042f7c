import { rabbitFromPackages } from './private-rabbit.js';
import { rabbitFromBinaries } from './rabbitmq-from-binaries.js';
import { rabbitFromDocker } from './rabbitmq-from-docker.js';
import type { RabbitControl, RabbitServer } from './rabbitmq-server.js';
import { runRabbitControl } from './run-rabbit-control.js';
import { type Attempt, type Service, type Unavailable, unavailable } from './service.js';

/**
 * RabbitMQ for the tests: one broker, a virtual host per test file. What is handed to the tests is its URL
 * and how to run its rabbitmqctl, as JSON. A broker named by TEST_RABBITMQ_URL needs TEST_RABBITMQ_CTL too,
 * the command line that runs its rabbitmqctl: without it no virtual host could be made.
 */
export const rabbitmq: Service = {
  name: 'rabbitmq',
  ways: [
    fromEnvironment,
    async () => attempt(await rabbitFromBinaries()),
    async () => attempt(await rabbitFromDocker()),
    async () => attempt(await rabbitFromPackages()),
  ],
};

export interface SharedRabbit {
  url: string;
  control: RabbitControl;
}

async function fromEnvironment(): Promise<Attempt> {
  const url = process.env.TEST_RABBITMQ_URL;
  if (!url) return unavailable('TEST_RABBITMQ_URL is not set');
  const command = process.env.TEST_RABBITMQ_CTL?.split(' ').filter((word) => word !== '') ?? [];
  if (command.length === 0) {
    throw new Error('TEST_RABBITMQ_URL is set and TEST_RABBITMQ_CTL, which runs its rabbitmqctl, is not');
  }
  const control = { command, env: {} };
  await runRabbitControl(control, 'await_startup', '--timeout', '10');
  const origin = `TEST_RABBITMQ_URL, ${new URL(url).host}`;
  return { running: true, url: JSON.stringify({ url, control } satisfies SharedRabbit), origin };
}

function attempt(server: RabbitServer | Unavailable): Attempt {
  if (!('url' in server)) return server;
  const { url, control, origin } = server;
  return { running: true, url: JSON.stringify({ url, control } satisfies SharedRabbit), origin };
}
