import { describe, it } from 'vitest';
import { BELL_PLACES, JOURNEY_PLACES } from '../chaos/ground/journey-places.js';
import { dieAtEveryPoint } from '../chaos/ground/kill-loop.js';
import { bullmqStores, embeddedStores, postgresStores, rabbitmqStores } from '../chaos/ground/kill-stores.js';
import { describeWith } from '../services/index.js';

/**
 * Death at every kill point of the journey, one after the other, until a run ends untouched: not only at the first of
 * a name, as in test/chaos. Two at once, because much of the time is spent waiting.
 */
const TRACKS = 4;
const ALL_PLACES = [...JOURNEY_PLACES, ...BELL_PLACES];
const AT_ONCE = { concurrent: true };

describeWith('postgres')('on PostgreSQL', AT_ONCE, () => {
  it('a process killed at every point of the journey → nothing is lost, repeated silently or left behind', async (test) => {
    await dieAtEveryPoint('PostgreSQL', await postgresStores(test, TRACKS), JOURNEY_PLACES);
  }, 1_200_000);
});

describe('on PGlite', AT_ONCE, () => {
  it('a process killed at every point of the journey → nothing is lost, repeated silently or left behind', async (test) => {
    await dieAtEveryPoint('PGlite', await embeddedStores(test, TRACKS), JOURNEY_PLACES);
  }, 1_200_000);
});

describeWith('postgres', 'redis')('on BullMQ', AT_ONCE, () => {
  it('a worker killed at every point of the journey → nothing is lost, repeated silently or left behind', async (test) => {
    await dieAtEveryPoint('BullMQ', await bullmqStores(test, TRACKS), ALL_PLACES);
  }, 1_200_000);
});

describeWith('postgres', 'rabbitmq')('on RabbitMQ', AT_ONCE, () => {
  it('a worker killed at every point of the journey → nothing is lost, repeated silently or left behind', async (test) => {
    await dieAtEveryPoint('RabbitMQ', await rabbitmqStores(test, TRACKS), ALL_PLACES);
  }, 1_200_000);
});
