import { describe, expect, it } from 'vitest';
import { createEmbeddedFolder, createTestDatabase, describeWith } from '../services/index.js';
import type { ChildOptions } from './ground/child.js';
import { JOURNEY_PLACES as PLACES } from './ground/journey-places.js';
import { type LaneReport, runLane } from './ground/kill-loop.js';

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
    expectEveryPlace(await runLanes(stores.map((store) => store.url)));
  }, 600_000);
});

describe('on PGlite', { concurrent: true }, () => {
  it('a process killed at any point of the journey → nothing is lost, repeated silently or left behind', async ({
    onTestFinished,
  }) => {
    const folders = await Promise.all(Array.from({ length: LANES }, createEmbeddedFolder));
    onTestFinished(async () => void (await Promise.all(folders.map(({ remove }) => remove()))));
    expectEveryPlace(await runLanes(folders.map(({ folder }) => ({ folder }))));
  }, 600_000);
});

async function runLanes(databases: Array<ChildOptions['database']>): Promise<LaneReport[]> {
  const began = performance.now();
  const lanes = await Promise.all(
    databases.map((database, lane) =>
      runLane({
        database,
        first: 1 + lane,
        step: databases.length,
        deathsAtStart: lane === 0,
      }),
    ),
  );
  const reports = lanes.map((lane) => lane.report);
  const missed = PLACES.filter((place) => !reports.some((report) => report.diedAt.has(place)));
  for (const place of missed) await lanes[0]?.dieAt(place);
  await Promise.all(lanes.map((lane) => lane.end()));
  const deaths = reports.reduce((sum, report) => sum + report.deaths, 0);
  const kind = typeof databases[0] === 'string' ? 'PostgreSQL' : 'PGlite';
  console.log(`${kind}: ${deaths} deaths in ${Math.round((performance.now() - began) / 1000)} s`);
  return reports;
}

function expectEveryPlace(reports: LaneReport[]): void {
  const all = (pick: (report: LaneReport) => Set<string>) => new Set(reports.flatMap((r) => [...pick(r)]));
  const diedAt = all((report) => report.diedAt);
  expect([...diedAt].sort()).toEqual([...PLACES].sort());
  // A place that is new in the journey belongs into the list.
  for (const name of all((report) => report.passed)) expect(PLACES).toContain(name);
}
