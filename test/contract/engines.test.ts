import { createBellEngine, createPostgresEngine } from '../../src/dispatch/index.js';
import { engineContract } from './engine.contract.js';
import { createMemoryHub } from './ground/memory-broker.js';

engineContract('postgres', { make: (ground) => createPostgresEngine(ground) });

const hub = createMemoryHub();
engineContract('of bells, in memory', {
  make: (ground) => createBellEngine({ ...ground, broker: hub.broker() }),
  ownWaitMs: 500,
});

const repeating = createMemoryHub();
repeating.repeats = true;
engineContract('of bells that come twice', {
  make: (ground) => createBellEngine({ ...ground, broker: repeating.broker() }),
  ownWaitMs: 500,
});
