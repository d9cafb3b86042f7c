import { it } from 'vitest';
import { describeWith } from '../services/index.js';
import { BELL_PLACES, JOURNEY_PLACES } from './ground/journey-places.js';
import { dieAtEveryPlace } from './ground/kill-loop.js';
import { bullmqStores, rabbitmqStores } from './ground/kill-stores.js';

/**
 * The deaths of kill-points.test.ts on the engines with a broker. Retries are spent in the broker: BullMQ spends any
 * wait, RabbitMQ those of 5, 10 and 20 s. Most of the time is spent waiting for those, so both run at once, each on
 * several tracks.
 */
const PLACES = [...JOURNEY_PLACES, ...BELL_PLACES];

describeWith('postgres', 'redis')('on BullMQ', { concurrent: true }, () => {
  it('a worker killed at any place of the journey → nothing is lost, repeated silently or left behind', async (test) => {
    await dieAtEveryPlace('BullMQ', await bullmqStores(test, 4), PLACES);
  });
});

describeWith('postgres', 'rabbitmq')('on RabbitMQ', { concurrent: true }, () => {
  it('a worker killed at any place of the journey → nothing is lost, repeated silently or left behind', async (test) => {
    await dieAtEveryPlace('RabbitMQ', await rabbitmqStores(test, 6), PLACES);
  });
});
