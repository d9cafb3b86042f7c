import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { silentLogger } from '../../src/kernel/index.js';
import {
  type Claim,
  createClaimer,
  createLedger,
  type Ledger,
  type Settlement,
} from '../../src/outbox/index.js';
import { recognizeEpoch } from '../../src/outbox/server-epoch.js';
import { createSettler } from '../../src/pipeline/settler.js';
import type { Database } from '../../src/store/index.js';
import { describeWith } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';

/**
 * A caller's transaction that has cancelled an email and stays open. Its worker must not wait for it with the other emails,
 * and has the row again when the caller changes its mind. No worker runs: claims and marks are made by hand.
 */
describeWith('postgres')('a caller’s open transaction cancels a claimed email', () => {
  const WORKER = 9;
  let journey: Journey;
  let database: Database;
  let ledger: Ledger;
  let claims: Claim[];
  let caller: pg.PoolClient;
  beforeAll(async () => {
    journey = await openJourney();
    database = await journey.postrider.ready();
    await recognizeEpoch(database, database.kind);
    ledger = createLedger(database, {
      worker: () => WORKER,
      pauses: () => Promise.reject(new Error('not asked for')),
    });
  });
  afterAll(() => journey.close());
  beforeEach(async () => {
    await journey.pool.query('truncate postrider.email_queue');
    await journey.postrider.sendBatch([anEmail(), anEmail(), anEmail()]);
    const claimer = createClaimer(database, { route: 'default', worker: () => WORKER });
    claims = await claimer.claim(3, []);
    caller = await journey.pool.connect();
    await caller.query('begin');
  });
  afterEach(async () => {
    await caller.query('rollback');
    caller.release();
  });

  const cancelOne = () => journey.postrider.cancel(claims[1]!.id, { tx: caller });
  const others = () => [claims[0]!.id, claims[2]!.id];
  const ownersOf = async () => {
    const { rows } = await journey.pool.query(
      'select id, owner, ready from postrider.email_queue order by id',
    );
    return rows;
  };

  it('before they are opened → the others are opened, and it is given back when the caller rolls back', async () => {
    await cancelOne();
    const opened = await ledger.open(claims.map((claim) => ({ ...claim, begins: true })));
    expect(opened.map(({ id, begun }) => [id, begun])).toEqual(others().map((id) => [id, true]));
    expect(await ledger.releaseStrays(others())).toBe(0);
    await caller.query('rollback');
    expect(await ledger.releaseStrays(others())).toBe(1);
    expect((await ownersOf()).find(({ id }) => id === claims[1]!.id)).toMatchObject({
      owner: null,
      ready: true,
    });
  });

  it('before they begin → the others begin, and it is neither sent nor waited for', async () => {
    await ledger.open(claims);
    await cancelOne();
    expect(await ledger.begin(claims, { atMostOnce: false })).toEqual(new Set(others()));
    expect(await ledger.begin(claims, { atMostOnce: true })).toEqual(new Set(others()));
    expect(await ledger.release([claims[1]!], { why: null })).toBe(0);
    await caller.query('commit');
    expect((await ownersOf()).map(({ id }) => id)).toEqual([...others()].sort());
  });

  it('opened, and its server is not to be had → the results of the others are written, its own not', async () => {
    await ledger.open(claims);
    await cancelOne();
    const settler = createSettler({ ledger, logger: silentLogger, random: () => 0 });
    const settled: string[] = [];
    const results = claims.map(async ({ id, token }) => {
      const settlement: Settlement = {
        ...{ id, token, attempt: 1, status: 'retry', route: 'default', provider: 'smtp', purge: false },
        ...{
          events: ['RECEIVED', 'RETRY_SCHEDULED'],
          offsetsMs: [0, 3],
          durationMs: 3,
          providerMessageId: null,
        },
        ...{
          errorCode: 'ECONNREFUSED',
          errorCategory: null,
          errorMessage: null,
          remaining: null,
          detail: null,
        },
        ...{ retryDelayMs: 60_000, possibleDuplicate: false, repeatableMs: null },
      };
      const result = await settler.add(settlement);
      settled.push(id);
      return result;
    });
    await Promise.all([results[0], results[2]]);
    expect(settled.sort()).toEqual(others().sort());
    await caller.query('commit');
    expect(await Promise.all(results)).toEqual(['settled', 'fenced', 'settled']);
  });
});
