import { inject } from 'vitest';
import { addVhost, deleteVhost } from './add-vhost.js';
import { listQueues, type QueueCounts } from './list-queues.js';
import type { SharedRabbit } from './rabbitmq.js';
import { runRabbitControl } from './run-rabbit-control.js';

/**
 * A fresh virtual host on the shared broker, one per test file, because the names of exchanges and queues
 * are fixed. Deleting it closes its connections.
 */
export async function createTestVhost(): Promise<TestVhost> {
  const shared = inject('rabbitmqUrl');
  if (!shared) throw new Error('no RabbitMQ for the tests: see the line about rabbitmq at the start');
  const { url, control } = JSON.parse(shared) as SharedRabbit;
  const vhost = await addVhost({ url, control });
  return {
    ...vhost,
    control: (...args) => runRabbitControl(control, ...args),
    queues: () => listQueues(control, vhost.name),
    async drop() {
      await deleteVhost(control, vhost.name);
    },
  };
}

export interface TestVhost {
  url: string;
  name: string;
  /** A command of the broker's rabbitmqctl; add `-p` and the name where it is about this virtual host. */
  control(...args: string[]): Promise<string>;
  /** What its queues hold. */
  queues(): Promise<QueueCounts[]>;
  drop(): Promise<void>;
}
