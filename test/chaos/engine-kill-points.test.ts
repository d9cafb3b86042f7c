import { expect, inject, it } from 'vitest';
import { createTestDatabase, createTestVhost, describeWith } from '../services/index.js';
import type { ChildOptions } from './ground/child.js';
import { BELL_PLACES, JOURNEY_PLACES } from './ground/journey-places.js';
import { runLane } from './ground/kill-loop.js';

/**
 * The kill-point loop of kill-points.test.ts on the engines with a broker. Dying at every N would take
 * minutes for each, since a bell that dies with its worker comes back by time; so every named place is died
 * at once, by its name. Retries are spent in the broker: BullMQ spends any wait, RabbitMQ those of 5, 10
 * and 20 s.
 */
const PLACES = [...JOURNEY_PLACES, ...BELL_PLACES];
const LANES = 3;
const ENGINE = { ringAgainMs: 1000 };

describeWith('postgres', 'redis')('on BullMQ', () => {
  it('a worker killed at any place of the journey → nothing is lost, repeated silently or left behind', async () => {
    await dieEverywhere((lane) => ({
      engine: { ...ENGINE, name: 'bullmq' },
      redis: { url: inject('redisUrl')!, prefix: `kill-${process.pid}-${lane}` },
    }));
  }, 600_000);
});

describeWith('postgres', 'rabbitmq')('on RabbitMQ', () => {
  it('a worker killed at any place of the journey → nothing is lost, repeated silently or left behind', async ({
    onTestFinished,
  }) => {
    const vhosts = await Promise.all(Array.from({ length: LANES }, () => createTestVhost()));
    onTestFinished(async () => {
      await Promise.all(vhosts.map((vhost) => vhost.drop()));
    });
    await dieEverywhere((lane) => ({
      engine: { ...ENGINE, name: 'rabbitmq' },
      rabbitmq: { url: vhosts[lane]!.url },
      retry: { preset: 'broker' },
    }));
  }, 600_000);
});

async function dieEverywhere(configOf: (lane: number) => ChildOptions['config']): Promise<void> {
  const stores = await Promise.all(Array.from({ length: LANES }, () => createTestDatabase()));
  const lanes = await Promise.all(
    stores.map((store, lane) =>
      runLane({
        ...{ database: store.url, config: configOf(lane), deathsAtStart: lane === 0 },
        // One number each, the next is beyond every run.
        ...{ first: 3 + 5 * lane, step: 100_000 },
      }),
    ),
  );
  const died = new Set(lanes.flatMap(({ report }) => [...report.diedAt]));
  const missed = PLACES.filter((place) => !died.has(place));
  await Promise.all(
    lanes.map(async (lane, index) => {
      for (const place of missed.filter((_, at) => at % LANES === index)) await lane.dieAt(place);
    }),
  );
  await Promise.all(lanes.map((lane) => lane.end()));
  await Promise.all(stores.map((store) => store.drop()));
  const reports = lanes.map(({ report }) => report);
  const diedAt = new Set(reports.flatMap((report) => [...report.diedAt]));
  expect([...diedAt].sort()).toEqual([...PLACES].sort());
  // A place that is new in the journey belongs into the list.
  for (const name of new Set(reports.flatMap((report) => [...report.passed]))) expect(PLACES).toContain(name);
}
