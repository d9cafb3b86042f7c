import { inject } from 'vitest';
import { createBellEngine, createBullmqBroker, createPostgresEngine } from '../../src/dispatch/index.js';
import { describeWith } from '../services/index.js';
import { engineContract } from './engine.contract.js';
import { createMemoryHub } from './ground/memory-broker.js';

engineContract('postgres', { make: (ground) => createPostgresEngine(ground) });

const hub = createMemoryHub();
engineContract('of bells, in memory', {
  make: (ground) => createBellEngine({ ...ground, broker: hub.broker() }),
  ownWaitMs: 500,
  lose: (on) => {
    hub.loses = on;
  },
  lost: () => hub.lost,
  leave: (on) => {
    hub.away = on;
  },
});

const repeating = createMemoryHub();
repeating.repeats = true;
engineContract('of bells that come twice', {
  make: (ground) => createBellEngine({ ...ground, broker: repeating.broker() }),
  ownWaitMs: 500,
});

const prefix = `contract-${process.pid}`;
engineContract(
  'bullmq',
  {
    make: (ground) =>
      createBellEngine({
        ...ground,
        broker: createBullmqBroker({
          ...{ url: inject('redisUrl')!, prefix, prefetch: 500, store: 'contract', logger: ground.logger },
          gatewayWaitMs: () => 1000,
        }),
      }),
    ownWaitMs: 700,
  },
  describeWith('postgres', 'redis'),
);
