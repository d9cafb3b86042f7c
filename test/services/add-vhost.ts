import { randomBytes } from 'node:crypto';
import type { RabbitServer } from './rabbitmq-server.js';
import { runRabbitControl } from './run-rabbit-control.js';

/**
 * A virtual host of its own on a broker, and the address with it. On a crowded machine one that is long in starting is
 * taken back by the broker, although its command had succeeded: then another is made.
 */
export async function addVhost({
  url,
  control,
}: Pick<RabbitServer, 'url' | 'control'>): Promise<{ name: string; url: string }> {
  const user = decodeURIComponent(new URL(url).username);
  for (let trial = 1; ; trial++) {
    const name = `postrider-test-${randomBytes(6).toString('hex')}`;
    try {
      await runRabbitControl(control, 'add_vhost', name);
      await runRabbitControl(control, 'set_permissions', '-p', name, user, '.*', '.*', '.*');
      return { name, url: `${url.replace(/\/$/, '')}/${name}` };
    } catch (error) {
      if (trial === TRIALS) throw error;
    }
  }
}

const TRIALS = 4;
