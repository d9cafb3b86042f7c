import { describe, it } from 'vitest';
import { createEmbeddedFolder, createTestDatabase, describeWith } from '../services/index.js';
import { JOURNEY_PLACES } from './ground/journey-places.js';
import { dieEverywhere } from './ground/kill-loop.js';

/**
 * Death at every kill point of the journey, one after the other, until a run ends untouched. After each
 * the ledger, the sink and what was promised must agree. Several lanes run side by side, because most of
 * the time is spent waiting: for a lease to run out, for a retry. Every named place is died at, too.
 */
const LANES = 4;

describeWith('postgres')('on PostgreSQL', { concurrent: true }, () => {
  it('a process killed at any point of the journey → nothing is lost, repeated silently or left behind', async ({
    onTestFinished,
  }) => {
    const stores = await Promise.all(Array.from({ length: LANES }, () => createTestDatabase()));
    onTestFinished(async () => {
      await Promise.all(stores.map((store) => store.drop()));
    });
    await dieEverywhere(
      'PostgreSQL',
      stores.map((store) => ({ database: store.url })),
      JOURNEY_PLACES,
    );
  }, 600_000);
});

describe('on PGlite', { concurrent: true }, () => {
  it('a process killed at any point of the journey → nothing is lost, repeated silently or left behind', async ({
    onTestFinished,
  }) => {
    const folders = await Promise.all(Array.from({ length: LANES }, createEmbeddedFolder));
    onTestFinished(async () => void (await Promise.all(folders.map(({ remove }) => remove()))));
    await dieEverywhere(
      'PGlite',
      folders.map(({ folder }) => ({ database: { folder } })),
      JOURNEY_PLACES,
    );
  }, 600_000);
});
