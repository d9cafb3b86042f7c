import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
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
  const user = decodeURIComponent(new URL(url).username);
  const name = await addVhost(control, user);
  return {
    url: `${url.replace(/\/$/, '')}/${name}`,
    name,
    control: (...args) => runRabbitControl(control, ...args),
    async drop() {
      await runRabbitControl(control, 'delete_vhost', name);
    },
  };
}

/**
 * On a crowded machine a virtual host that is long in starting is taken back by the broker, although its command had
 * succeeded: then another is made.
 */
async function addVhost(control: SharedRabbit['control'], user: string): Promise<string> {
  for (let trial = 1; ; trial++) {
    const name = `postrider-test-${randomBytes(6).toString('hex')}`;
    try {
      await runRabbitControl(control, 'add_vhost', name);
      await runRabbitControl(control, 'set_permissions', '-p', name, user, '.*', '.*', '.*');
      return name;
    } catch (error) {
      if (trial === TRIALS) throw error;
    }
  }
}

const TRIALS = 4;

export interface TestVhost {
  url: string;
  name: string;
  /** A command of the broker's rabbitmqctl; add `-p` and the name where it is about this virtual host. */
  control(...args: string[]): Promise<string>;
  drop(): Promise<void>;
}
