import { randomBytes } from 'node:crypto';
import { evaluateInBroker } from './evaluate-in-broker.js';
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
    const added = { name, url: `${url.replace(/\/$/, '')}/${name}` };
    const done = await evaluateInBroker(
      control,
      `ok = rabbit_vhost:add(<<"${name}">>, <<"tests">>),
       ok = rabbit_auth_backend_internal:set_permissions(
         <<"${user}">>, <<"${name}">>, <<".*">>, <<".*">>, <<".*">>, <<"tests">>),
       "done"`,
    );
    if (done) return added;
    try {
      await runRabbitControl(control, 'add_vhost', name);
      await runRabbitControl(control, 'set_permissions', '-p', name, user, '.*', '.*', '.*');
      return added;
    } catch (error) {
      if (trial === TRIALS) throw error;
    }
  }
}

export async function deleteVhost(control: RabbitServer['control'], name: string): Promise<void> {
  const done = await evaluateInBroker(
    control,
    `ok = rabbit_vhost:delete(<<"${name}">>, <<"tests">>), "done"`,
  );
  if (!done) await runRabbitControl(control, 'delete_vhost', name);
}

const TRIALS = 4;
