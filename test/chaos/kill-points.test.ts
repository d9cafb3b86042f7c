import { describe, it } from 'vitest';
import { describeWith } from '../services/index.js';
import { JOURNEY_PLACES } from './ground/journey-places.js';
import { dieAtEveryPlace } from './ground/kill-loop.js';
import { embeddedStores, postgresStores } from './ground/kill-stores.js';

/**
 * Death at every named place of the journey, and at each point of a start beside the rows of a dead worker. After each
 * the ledger, the sink and what was promised must agree. Several tracks run side by side, because most of the time is
 * spent waiting: for a lease to run out, for a retry. test/long/kill-points.test.ts dies at every point, not only at
 * the first of a name.
 */
const TRACKS = 4;

describeWith('postgres')('on PostgreSQL', { concurrent: true }, () => {
  it('a process killed at any place of the journey → nothing is lost, repeated silently or left behind', async (test) => {
    await dieAtEveryPlace('PostgreSQL', await postgresStores(test, TRACKS), JOURNEY_PLACES);
  });
});

describe('on PGlite', { concurrent: true }, () => {
  it('a process killed at any place of the journey → nothing is lost, repeated silently or left behind', async (test) => {
    await dieAtEveryPlace('PGlite', await embeddedStores(test, TRACKS), JOURNEY_PLACES);
  });
});
