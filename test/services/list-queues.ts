import { evaluateInBroker } from './evaluate-in-broker.js';
import type { RabbitControl } from './rabbitmq-server.js';
import { runRabbitControl } from './run-rabbit-control.js';

/** What each queue of a virtual host holds: for consumers, and with them. */
export async function listQueues(control: RabbitControl, vhost = '/'): Promise<QueueCounts[]> {
  const items = ['messages_ready', 'messages_unacknowledged'];
  const listed = await evaluateInBroker(
    control,
    `lists:flatten([io_lib:format("~ts=~b=~b;", [element(4, N), R, U]) ||
      [{_, N}, {_, R}, {_, U}] <- rabbit_amqqueue:info_all(<<"${vhost}">>, [name, ${items}])])`,
  );
  const lines =
    listed !== null
      ? listed.split(';').map((line) => line.split('='))
      : (await runRabbitControl(control, '-q', 'list_queues', '-p', vhost, 'name', ...items))
          .split('\n')
          .map((line) => line.split('\t'));
  return lines
    .filter(([, ready = '']) => /^\d+$/.test(ready))
    .map(([name, ready, unacknowledged]) => ({
      name: name!,
      ready: Number(ready),
      unacknowledged: Number(unacknowledged),
    }));
}

export interface QueueCounts {
  name: string;
  ready: number;
  unacknowledged: number;
}
