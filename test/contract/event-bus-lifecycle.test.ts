import { afterAll, beforeAll } from 'vitest';
import { createEventBus } from '../../src/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import { createTestVhost, describeWith, type TestVhost, waitFor } from '../services/index.js';
import { openBus } from './ground/open-bus.js';
import { lifecycleContract } from './lifecycle.contract.js';

let vhost: TestVhost;
let services = 0;

describeWith('rabbitmq')('the event bus', () => {
  beforeAll(async () => {
    vhost = await createTestVhost();
  });
  afterAll(() => vhost?.drop());

  lifecycleContract(
    'a service on the bus',
    async () => {
      const service = `life-${++services}`;
      const ground = openBus(vhost.url);
      let begun = 0;
      const info = (_: object, message: string) => {
        if (message === 'bus connected') begun += 1;
      };
      const logger = { ...silentLogger, info, child: () => ({ ...silentLogger, info }) };
      const subject = createEventBus({ url: vhost.url, service, logger });
      subject.on('x', () => 200);
      // The broker's own eyes: somebody takes from its queue.
      const atWork = async () => {
        const { consumerCount } = await ground.broker.queueDeclare({
          queue: subject.names.queue,
          passive: true,
        });
        return consumerCount > 0;
      };
      return {
        subject,
        begun: () => begun,
        atWork: () => atWork().catch(() => false),
        remove: () => ground.close(),
      };
    },
    (condition) => waitFor(condition, { timeoutMs: 10_000, what: 'it to be at work' }),
  );
});
