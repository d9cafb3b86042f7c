import { inject } from 'vitest';
import { addVhost } from './add-vhost.js';
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
    async drop() {
      await runRabbitControl(control, 'delete_vhost', vhost.name);
    },
  };
}

export interface TestVhost {
  url: string;
  name: string;
  /** A command of the broker's rabbitmqctl; add `-p` and the name where it is about this virtual host. */
  control(...args: string[]): Promise<string>;
  drop(): Promise<void>;
}
