import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  type Claim,
  claimSuspects,
  createClaimer,
  createLedger,
  type Ledger,
  type TakeOver,
  takeOverWorker,
} from '../../src/outbox/index.js';
import { recognizeEpoch } from '../../src/outbox/server-epoch.js';
import { describeWith } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';

/** What becomes of a dead worker's emails. No worker runs: claims, marks and deaths are made by hand. */
describeWith('postgres')('a dead worker’s emails', () => {
  let journey: Journey;
  beforeAll(async () => {
    journey = await openJourney();
  });
  afterAll(() => journey.close());
  beforeEach(() => journey.pool.query('truncate postrider.email_queue'));

  interface Hand {
    ledger: Ledger;
    claim(limit: number): Promise<Claim[]>;
    claimSuspects(limit: number, beside?: number): Promise<Claim[]>;
    die(): Promise<TakeOver>;
  }

  async function hire(): Promise<Hand> {
    const database = await journey.postrider.ready();
    // What was claimed before the server's epoch is recognized counts as begun.
    await recognizeEpoch(database, database.kind);
    const { rows } = await journey.pool.query<{ id: number; lease: number }>(
      `insert into postrider.workers (instance, host, pid) values ('by hand', 'here', 1) returning id, lease`,
    );
    const { id, lease } = rows[0]!;
    const worker = () => id;
    const claimer = createClaimer(database, { route: 'default', worker });
    return {
      ledger: createLedger(database, { worker, pauses: () => Promise.reject(new Error('not asked for')) }),
      claim: (limit) => claimer.claim(limit, []),
      claimSuspects: (limit, beside = 0) =>
        claimSuspects(database, { route: 'default', worker: id, limit, beside }),
      die: async () => (await takeOverWorker(database, { id, lease, beat: null, epoch: null, died: true }))!,
    };
  }

  async function accept(count: number, parts: Parameters<typeof anEmail>[0] = {}): Promise<string[]> {
    const answers = await journey.postrider.sendBatch(Array.from({ length: count }, () => anEmail(parts)));
    return answers.map(({ emailId }) => emailId);
  }

  const row = async (id: string) =>
    (
      await journey.pool.query(
        `select attempt, crashes, suspect, group_limit, possible_duplicate, ready, opened, begun, owner
         from postrider.email_queue where id = $1`,
        [id],
      )
    ).rows[0];

  /** Workers open all they may and die, until none is left to open; how many suspects each of them had opened. */
  async function dieOver(victim: string, how: (hand: Hand, claims: Claim[]) => Promise<unknown>) {
    const together: number[] = [];
    for (;;) {
      const hand = await hire();
      let claims: Claim[] = [];
      // Groups without the victim are let through.
      for (;;) {
        claims = await hand.claimSuspects(100);
        if (claims.length === 0 || claims.some(({ id }) => id === victim)) break;
        await journey.pool.query('delete from postrider.email_queue where id = any ($1)', [
          claims.map(({ id }) => id),
        ]);
      }
      if (claims.length === 0) return together;
      together.push(claims.length);
      await how(hand, claims);
      await hand.die();
    }
  }

  it('opened and not begun → given back at no cost, as suspects that are no possible duplicates', async () => {
    const [opened, waiting] = await accept(2);
    const hand = await hire();
    const claims = await hand.claim(2);
    await hand.ledger.open(claims.filter(({ id }) => id === opened));
    expect(await hand.die()).toMatchObject({ released: 1, suspects: 1, unknown: 0 });
    expect(await row(waiting!)).toMatchObject({ suspect: false, ready: true });
    expect(await row(opened!)).toMatchObject({
      ...{ suspect: true, ready: false, attempt: 0, possible_duplicate: false },
      ...{ opened: false, begun: false, owner: null },
    });
    expect(await journey.eventTypes(opened!)).toEqual(['ENQUEUED', 'RELEASED']);
  });

  it('begun → a possible duplicate that cost an attempt', async () => {
    const [id, beside] = await accept(2);
    const hand = await hire();
    const claims = await hand.claim(2);
    await hand.ledger.open(claims);
    await hand.ledger.begin(
      claims.filter((claim) => claim.id === id),
      { atMostOnce: false },
    );
    await hand.die();
    expect(await row(id!)).toMatchObject({ suspect: true, attempt: 1, possible_duplicate: true, crashes: 0 });
    expect(await row(beside!)).toMatchObject({ suspect: true, attempt: 0, possible_duplicate: false });
    expect(await journey.eventTypes(id!)).toEqual([
      ...['ENQUEUED', 'RECEIVED', 'OUTCOME_UNKNOWN', 'RETRY_SCHEDULED'],
    ]);
  });

  it('opened with a connection at hand → begun in the same statement, but for its last attempt', async () => {
    const [begins, waits, last] = await accept(3);
    await journey.pool.query('update postrider.email_queue set max_attempts = 1 where id = $1', [last]);
    const hand = await hire();
    const claims = await hand.claim(3);
    const opened = await hand.ledger.open(claims.map((claim) => ({ ...claim, begins: claim.id !== waits })));
    expect(Object.fromEntries(opened.map(({ id, begun }) => [id, begun]))).toEqual({
      [begins!]: true,
      [waits!]: false,
      [last!]: false,
    });
    expect(await row(begins!)).toMatchObject({ opened: true, begun: true });
    expect(await row(last!)).toMatchObject({ opened: true, begun: false });
    await expect(journey.postrider.cancel(begins!)).rejects.toMatchObject({ code: 'EMAIL_NOT_CANCELLABLE' });
    await hand.die();
    expect(await row(begins!)).toMatchObject({ attempt: 1, possible_duplicate: true });
    expect(await row(waits!)).toMatchObject({ attempt: 0, possible_duplicate: false });
    expect(await row(last!)).toMatchObject({ attempt: 0, possible_duplicate: false });
  });

  it('at-most-once and only opened → tried again; begun → unknown', async () => {
    const [opened, begun] = await accept(2, { delivery: 'at-most-once' });
    const hand = await hire();
    const claims = await hand.claim(2);
    await hand.ledger.open(claims);
    await hand.ledger.begin(
      claims.filter(({ id }) => id === begun),
      { atMostOnce: true },
    );
    expect(await hand.die()).toMatchObject({ suspects: 1, unknown: 1 });
    expect(await journey.postrider.get(begun!)).toMatchObject({ status: 'unknown' });
    expect(await row(opened!)).toMatchObject({ suspect: true, attempt: 0, possible_duplicate: false });
  });

  it('a claim that was cancelled, moved or taken over since → cannot begin', async () => {
    const [cancelled, moved, taken, ours] = await accept(4);
    const hand = await hire();
    const claims = await hand.claim(4);
    await hand.ledger.open(claims);
    await journey.postrider.cancel(cancelled!);
    await journey.postrider.reschedule(moved!, new Date(Date.now() + 60_000));
    await journey.pool.query('update postrider.email_queue set token = token + 1 where id = $1', [taken]);
    expect(await hand.ledger.begin(claims, { atMostOnce: false })).toEqual(new Set([ours]));
    expect(await row(moved!)).toMatchObject({ owner: null, opened: false, begun: false });
    await expect(journey.postrider.cancel(ours!)).rejects.toMatchObject({ code: 'EMAIL_NOT_CANCELLABLE' });
  });

  it('one of forty kills each worker that prepares it → groups halve, and it alone ends as CRASH_LOOP', async () => {
    const ids = await accept(40);
    const hand = await hire();
    await hand.ledger.open(await hand.claim(40));
    await hand.die();
    const victim = ids[17]!;
    const together = await dieOver(victim, ({ ledger }, claims) => ledger.open(claims));
    expect(together).toEqual([20, 10, 5, 2, 1, 1, 1]);
    const ended = await journey.pool.query(
      `select id, status::text as status, error_code, possible_duplicate from postrider.email_logs
       where id = any ($1) and error_code is not null`,
      [ids],
    );
    expect(ended.rows).toEqual([
      { id: victim, status: 'failed', error_code: 'CRASH_LOOP', possible_duplicate: false },
    ]);
    expect((await journey.eventTypes(victim)).slice(-2)).toEqual(['RECEIVED', 'FAILED']);
  });

  it('two workers die with one suspect among fresh emails → no crash of it is counted', async () => {
    const [suspect] = await accept(1);
    const first = await hire();
    await first.ledger.open(await first.claim(1), { alone: true });
    await first.die();
    expect(await row(suspect!)).toMatchObject({ crashes: 1, group_limit: 1 });
    const second = await hire();
    const [claim] = await second.claimSuspects(10);
    await second.ledger.open([claim!], { alone: true });
    await second.ledger.endAlone(claim!);
    await accept(3);
    await second.ledger.open(await second.claim(3));
    await second.die();
    expect(await row(suspect!)).toMatchObject({ crashes: 1, group_limit: 1 });
  });

  it('suspects beside those that are attempted already → only as many as all of them allow', async () => {
    const ids = await accept(20);
    const dead = await hire();
    await dead.ledger.open(await dead.claim(20));
    await dead.die();
    await journey.pool.query('update postrider.email_queue set group_limit = 3 where id = any ($1)', [
      ids.slice(0, 10),
    ]);
    const hand = await hire();
    expect(await hand.claimSuspects(100, 4)).toHaveLength(6);
    expect(await hand.claimSuspects(100, 10)).toHaveLength(0);
    expect(await hand.claimSuspects(100, 3)).toHaveLength(4);
    expect(await hand.claimSuspects(100, 3)).toHaveLength(0);
    expect(await hand.claimSuspects(100, 1)).toHaveLength(2);
    expect(await hand.claimSuspects(2, 0)).toHaveLength(2);
  });
});
