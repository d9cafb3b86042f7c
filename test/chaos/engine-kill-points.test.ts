import { inject, it } from 'vitest';
import { createTestDatabase, createTestVhost, describeWith, type TestDatabase } from '../services/index.js';
import { BELL_PLACES, JOURNEY_PLACES } from './ground/journey-places.js';
import { dieEverywhere } from './ground/kill-loop.js';

/**
 * The kill-point loop of kill-points.test.ts on the engines with a broker, at every N as there. Retries are spent in
 * the broker: BullMQ spends any wait, RabbitMQ those of 5, 10 and 20 s. Most of the time is spent waiting for those,
 * so both run at once, each in several lanes.
 */
const PLACES = [...JOURNEY_PLACES, ...BELL_PLACES];
const LANES = 4;
const ENGINE = { ringAgainMs: 1000 };
const lanes = Array.from({ length: LANES }, (_, lane) => lane);

describeWith('postgres', 'redis')('on BullMQ', { concurrent: true }, () => {
  it('a worker killed at any point of the journey → nothing is lost, repeated silently or left behind', async ({
    onTestFinished,
  }) => {
    const stores = await openStores(onTestFinished);
    await dieEverywhere(
      'BullMQ',
      lanes.map((lane) => ({
        database: stores[lane]!.url,
        config: {
          engine: { ...ENGINE, name: 'bullmq' },
          redis: { url: inject('redisUrl')!, prefix: `kill-${process.pid}-${lane}` },
        },
      })),
      PLACES,
    );
  }, 1_200_000);
});

describeWith('postgres', 'rabbitmq')('on RabbitMQ', { concurrent: true }, () => {
  it('a worker killed at any point of the journey → nothing is lost, repeated silently or left behind', async ({
    onTestFinished,
  }) => {
    const stores = await openStores(onTestFinished);
    const vhosts = await Promise.all(lanes.map(() => createTestVhost()));
    onTestFinished(async () => {
      await Promise.all(vhosts.map((vhost) => vhost.drop()));
    });
    await dieEverywhere(
      'RabbitMQ',
      lanes.map((lane) => ({
        database: stores[lane]!.url,
        config: {
          engine: { ...ENGINE, name: 'rabbitmq' },
          rabbitmq: { url: vhosts[lane]!.url },
          retry: { preset: 'broker' },
        },
      })),
      PLACES,
    );
  }, 1_200_000);
});

async function openStores(onTestFinished: (fn: () => Promise<void>) => void): Promise<TestDatabase[]> {
  const stores = await Promise.all(lanes.map(() => createTestDatabase()));
  onTestFinished(async () => {
    await Promise.all(stores.map((store) => store.drop()));
  });
  return stores;
}
