import { createBellEngine, createRabbitBroker } from '../../src/dispatch/index.js';
import { createTestVhost, describeWith, type TestVhost } from '../services/index.js';
import { engineContract } from './engine.contract.js';

describeWith('rabbitmq').each(['classic', 'quorum'] as const)('%s queues', (queueType) => {
  let vhost: TestVhost;
  engineContract(`rabbitmq, ${queueType}`, {
    make: (ground) =>
      createBellEngine({
        ...ground,
        broker: createRabbitBroker({
          ...{ url: vhost.url, hosts: [], queueType, prefetch: 500, store: 'contract' },
          ...{ clock: ground.clock, logger: ground.logger },
          receiveForeign: async () => ({ kind: 'done' }),
        }),
      }),
    ownWaitMs: 5000,
    async before() {
      vhost = await createTestVhost();
    },
    after: () => vhost.drop(),
  });
});
