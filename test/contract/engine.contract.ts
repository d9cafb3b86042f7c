import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { EngineGround } from '../../src/assemble-engine.js';
import { type Engine, tellEngine } from '../../src/dispatch/index.js';
import { createPostrider, type EmailInput, type Postrider } from '../../src/index.js';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import {
  type Claim,
  clearLedger,
  createLedger,
  createPauseReader,
  createSweeper,
  type Ledger,
  type Settlement,
  WorkerWatch,
} from '../../src/outbox/index.js';
import { type Database, openDatabase } from '../../src/store/index.js';
import { createTestDatabase, type TestDatabase, waitFor } from '../services/index.js';

/**
 * What every engine promises, against a real PostgreSQL: each email is handed out once and to one worker,
 * never while it may not go, again when it must; and whatever the engine forgets, the ledger does not.
 */
export interface EngineMaker {
  /** An engine of its own worker, not started; engines of one suite share their broker. */
  make(ground: EngineGround & { pollIntervalMs: number; window: number }): Engine | Promise<Engine>;
  /** A wait the engine spends itself, where it has one. */
  ownWaitMs?: number;
  /** Makes the broker forget what it is given from now on, where a test can; `lost` counts that. */
  lose?(on: boolean): void;
  lost?(): number;
  /** Takes the broker away, where a test can. */
  leave?(on: boolean): void;
  before?(): Promise<void>;
  after?(): Promise<void>;
}

/** Short, so that what a broker lost is seen to come back. */
const RING_AGAIN_MS = 1000;

interface Hand {
  engine: Engine;
  ledger: Ledger;
  worker: number;
  /** What was handed to it and not settled yet. */
  claims: Claim[];
  /** As after a SIGKILL: its session is gone and it beats no more. */
  die(): Promise<void>;
  stop(): Promise<void>;
}

export function engineContract(
  name: string,
  maker: EngineMaker,
  describeSuite: typeof describe | typeof describe.skip = describe,
): void {
  describeSuite(`engine ${name}`, () => suite(maker));
}

function suite(maker: EngineMaker): void {
  let server: TestDatabase;
  let database: Database;
  let caller: Postrider;
  const hands: Hand[] = [];
  const rooms = new Map<string, number>();
  let onRoom: Array<() => void> = [];
  let sweeper: ReturnType<typeof createSweeper>;

  beforeAll(async () => {
    await maker.before?.();
    server = await createTestDatabase();
    database = await openDatabase(server.url);
    caller = createPostrider({
      database: server.url,
      from: { address: 'noreply@example.com' },
      logger: silentLogger,
      config: { limits: { enabled: false } },
    });
    await caller.ready();
    sweeper = createSweeper({
      ...{ database, logger: silentLogger, random: Math.random },
      watch: new WorkerWatch({ database, self: () => 0, clock: systemClock, logger: silentLogger }),
      ringAgainMs: RING_AGAIN_MS,
      onReady: () => {
        for (const { engine } of hands) engine.ring();
      },
      onGivenUp() {},
    });
    await sweeper.start();
  });
  afterEach(async () => {
    await Promise.all(hands.splice(0).map((hand) => hand.stop()));
    await clearLedger(database);
    await database.query('delete from postrider.pauses');
    rooms.clear();
    onRoom = [];
  });
  afterAll(async () => {
    await sweeper.stop();
    await caller.stop();
    await database.close();
    await server.drop();
    await maker.after?.();
  });

  async function open(options: { window?: number } = {}): Promise<Hand> {
    const { rows } = await database.query<{ id: number }>(
      `insert into postrider.workers (instance, host, pid, shared_session)
       values ('contract', 'here', 1, true) returning id`,
    );
    const worker = rows[0]!.id;
    const beats = setInterval(() => {
      database
        .query('update postrider.workers set beat_at = clock_timestamp() where id = $1', [worker])
        .catch(() => undefined); // the store may be away on purpose
    }, 1000);
    const pauses = createPauseReader(database, systemClock);
    const engine = await maker.make({
      ...{ database, worker: () => worker, pauses, clock: systemClock, random: Math.random },
      ...{ logger: silentLogger, pollIntervalMs: 200, window: options.window ?? 2000 },
      metrics: { engineUp() {}, bells() {}, bellsOutstanding() {} },
      routes: {
        names: async () => ['default', 'other'],
        room: async (route, limit) => Math.min(limit, rooms.get(route) ?? limit),
        took() {},
        onRoom: (fn) => onRoom.push(fn),
      },
    });
    const ledger = tellEngine(createLedger(database, { worker: () => worker, pauses }), engine);
    const claims: Claim[] = [];
    let pumping = true;
    engine.onWork(() => {});
    await engine.start();
    const pump = (async () => {
      while (pumping) {
        const got = await engine.claim(50).catch(() => []);
        claims.push(...got);
        if (got.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    const hand: Hand = {
      ...{ engine, ledger, worker, claims },
      async die() {
        clearInterval(beats);
        // Without a session, and with none that is shared.
        await database.query(
          `update postrider.workers set shared_session = false, epoch = (select id from postrider.server_epoch)
           where id = $1`,
          [worker],
        );
      },
      async stop() {
        clearInterval(beats);
        await engine.quiesce();
        pumping = false;
        await pump;
        await ledger.release(claims.splice(0), { why: 'the test is over' });
        await engine.stop({ deadlineMs: 5000 });
      },
    };
    hands.push(hand);
    return hand;
  }

  async function accept(emails: EmailInput[]): Promise<string[]> {
    const ids = (await caller.sendBatch(emails)).map((answer) => answer.emailId);
    for (const { engine } of hands) engine.ring();
    return ids;
  }

  const handed = (hand: Hand) => hand.claims.map((claim) => claim.id);
  const until = (what: string, condition: () => boolean | Promise<boolean>, timeoutMs = 15_000) =>
    waitFor(condition, { timeoutMs, what });
  const untilHanded = (hand: Hand, ids: readonly string[]) =>
    until(`${ids.length} emails to be handed out`, () => ids.every((id) => handed(hand).includes(id)));
  /** Long enough for a poll and a bell that should not be there. */
  const moment = async () => {
    const began = performance.now();
    await until('a moment to pass', () => performance.now() - began > 500);
  };

  describe('hands out', () => {
    test('two workers and 400 emails → each is handed out once, and all of them', async () => {
      const [one, two] = [await open(), await open()];
      const ids = await accept(plain(400));
      await until(
        'all to be handed out',
        () => new Set([...handed(one), ...handed(two)]).size === ids.length,
      );
      expect([...handed(one), ...handed(two)].sort()).toEqual([...ids].sort());
      const opened = [...(await one.ledger.open(one.claims)), ...(await two.ledger.open(two.claims))];
      expect(opened.length).toBe(ids.length);
    });

    test('more emails than may be out at once → all of them are handed out', async () => {
      const hand = await open({ window: 20 });
      const ids = await accept(plain(150));
      await until('all to be handed out', async () => {
        await hand.ledger.settle(hand.claims.splice(0, 50).map((claim) => sent(claim)));
        return (await waiting()) === 0;
      });
      expect(await statuses(ids)).toEqual({ sent: 150 });
    });

    test('an urgent email behind 400 of another company → it is among the first', async () => {
      const bulk = await accept(plain(400, { companyId: 'loud', priority: 4 }));
      const [urgent] = await accept(plain(1, { companyId: 'quiet', priority: 1 }));
      const hand = await open();
      await untilHanded(hand, [...bulk, urgent!]);
      expect(handed(hand).indexOf(urgent!)).toBeLessThan(60);
    });

    test('settled as sent → gone; settled for a retry → handed out again when it is due, not before', async () => {
      const hand = await open();
      const [good, bad] = await accept(plain(2));
      await untilHanded(hand, [good!, bad!]);
      const [a, b] = [claimOf(hand, good!), claimOf(hand, bad!)];
      const waitMs = maker.ownWaitMs ?? 700;
      const before = performance.now();
      await hand.ledger.settle([sent(a), retry(b, waitMs)]);
      await untilHanded(hand, [bad!]);
      expect(performance.now() - before).toBeGreaterThan(waitMs - 300);
      const again = hand.claims.find((claim) => claim.id === bad)!;
      expect(again.token).toBeGreaterThan(b.token);
      expect((await hand.ledger.open([again]))[0]?.attempt).toBe(2);
      await moment();
      expect(handed(hand)).toEqual([bad]);
    });

    test('more retries than may be out at once → the rest waits in the ledger, and all are handed out again', async () => {
      const hand = await open({ window: 5 });
      const ids = await accept(plain(30));
      await untilHanded(hand, ids);
      await database.query('update postrider.email_queue set rung_by = null');
      await hand.ledger.settle(hand.claims.splice(0).map((claim) => retry(claim, maker.ownWaitMs ?? 700)));
      const { rows } = await database.query<{ by: number | null }>(
        'select rung_by as by from postrider.email_queue where rung_at > clock_timestamp()',
      );
      expect(rows.length).toBeLessThanOrEqual(5);
      // Who was to hand the wait to the broker.
      expect(rows).toEqual(rows.map(() => ({ by: hand.worker })));
      await untilHanded(hand, ids);
    });

    test('a claim given back → handed out again with a higher token, and the old one changes nothing', async () => {
      const hand = await open();
      const [id] = await accept(plain(1));
      await untilHanded(hand, [id!]);
      const first = claimOf(hand, id!);
      await hand.ledger.release([first], { why: 'for a test' });
      hand.engine.ring();
      await untilHanded(hand, [id!]);
      expect(hand.claims[0]!.token).toBeGreaterThan(first.token);
      expect((await hand.ledger.settle([sent(first)])).size).toBe(0);
      expect(await statuses([id!])).toEqual({ processing: 1 });
    });

    test('everything paused → nothing is handed out; resumed → all of it', async () => {
      await caller.pause('all');
      const hand = await open();
      const ids = await accept(plain(5));
      await moment();
      expect(handed(hand)).toEqual([]);
      await caller.resume('all');
      hand.engine.ring();
      await untilHanded(hand, ids);
    });

    test('a company paused → only the others are handed out', async () => {
      await caller.pause('tenant', 'held');
      const hand = await open();
      const held = await accept(plain(3, { companyId: 'held' }));
      const free = await accept(plain(3, { companyId: 'free' }));
      await untilHanded(hand, free);
      await moment();
      expect(handed(hand).sort()).toEqual([...free].sort());
      await caller.resume('tenant', 'held');
      hand.engine.ring();
      await untilHanded(hand, held);
    });

    test('a route without room → nothing of it until there is some', async () => {
      rooms.set('default', 0);
      const hand = await open();
      const ids = await accept(plain(5));
      await moment();
      expect(handed(hand)).toEqual([]);
      rooms.delete('default');
      for (const fn of onRoom) fn();
      await untilHanded(hand, ids);
    });

    test('cancelled or moved before it is claimed → not handed out', async () => {
      rooms.set('default', 0);
      const hand = await open();
      const [cancelled, moved, other] = await accept(plain(3));
      await caller.cancel(cancelled!);
      await caller.reschedule(moved!, new Date(Date.now() + 3_600_000));
      rooms.delete('default');
      for (const fn of onRoom) fn();
      await untilHanded(hand, [other!]);
      await moment();
      expect(handed(hand)).toEqual([other]);
    });

    test('scheduled → handed out at its time', async () => {
      const hand = await open();
      const before = Date.now();
      const [id] = await accept([{ ...plain(1)[0]!, scheduledAt: new Date(before + 800) }]);
      await untilHanded(hand, [id!]);
      expect(Date.now() - before).toBeGreaterThan(700);
    });

    test('a worker that is gone with its claims → another gets what had not begun, the rest as suspects', async () => {
      const lost = await open();
      const ids = await accept(plain(4));
      await untilHanded(lost, ids);
      await lost.ledger.open(lost.claims.slice(0, 2));
      const begun = lost.claims.slice(0, 2).map((claim) => claim.id);
      const fresh = lost.claims.slice(2).map((claim) => claim.id);
      const hand = await open();
      await lost.die();
      await untilHanded(hand, fresh);
      const suspects: Claim[] = [];
      await until('the suspects', async () => {
        suspects.push(...(await hand.engine.claimSuspects(10)));
        return suspects.length === 2;
      });
      expect(suspects.map((claim) => claim.id).sort()).toEqual([...begun].sort());
      expect(handed(hand).sort()).toEqual([...fresh].sort());
      expect((await lost.ledger.settle(lost.claims.map((claim) => sent(claim)))).size).toBe(0);
    });

    test.runIf(maker.lose)(
      'bells lost on the way → rung again, and every email is handed out once',
      async () => {
        const hand = await open();
        maker.lose?.(true);
        const ids = await accept(plain(30));
        await until('the bells to be out', async () => (await rung()) === ids.length);
        expect(await ringers()).toEqual([hand.worker]);
        maker.lose?.(false);
        await untilHanded(hand, ids);
        expect(handed(hand).sort()).toEqual([...ids].sort());
      },
    );

    test.runIf(maker.leave)('the broker away → no bell counts as out; back → all is handed out', async () => {
      const hand = await open();
      maker.leave?.(true);
      const ids = await accept(plain(30));
      await moment();
      expect(handed(hand)).toEqual([]);
      expect(await rung()).toBe(0);
      maker.leave?.(false);
      hand.engine.ring();
      await untilHanded(hand, ids);
    });

    test('quiesced → hands out nothing more, and another worker gets it', async () => {
      const first = await open();
      await first.engine.quiesce();
      const ids = await accept(plain(10));
      await moment();
      expect(handed(first)).toEqual([]);
      await untilHanded(await open(), ids);
    });
  });

  function claimOf(hand: Hand, id: string): Claim {
    const at = hand.claims.findIndex((claim) => claim.id === id);
    return hand.claims.splice(at, 1)[0]!;
  }

  async function waiting(): Promise<number> {
    const { rows } = await database.query<{ count: number }>(
      'select count(*)::int as count from postrider.email_queue',
    );
    return rows[0]!.count;
  }

  async function rung(): Promise<number> {
    const { rows } = await database.query<{ count: number }>(
      'select count(*)::int as count from postrider.email_queue where rung_at is not null',
    );
    return rows[0]!.count;
  }

  async function ringers(): Promise<number[]> {
    const { rows } = await database.query<{ by: number }>(
      'select distinct rung_by as by from postrider.email_queue where rung_at is not null',
    );
    return rows.map(({ by }) => by);
  }

  async function statuses(ids: string[]): Promise<Record<string, number>> {
    const { rows } = await database.query<{ status: string; count: number }>(
      `select status::text as status, count(*)::int as count from postrider.email_logs
       where id = any ($1::uuid[]) group by 1`,
      [ids],
    );
    return Object.fromEntries(rows.map((row) => [row.status, row.count]));
  }
}

function plain(count: number, more: Partial<EmailInput> = {}): EmailInput[] {
  return Array.from({ length: count }, (_, i) => ({
    to: `contract-${i}@example.com`,
    subject: `contract ${i}`,
    text: 'x',
    ...more,
  })) as EmailInput[];
}

function settlement(claim: Claim): Settlement {
  return {
    ...{ id: claim.id, token: claim.token, attempt: 1, status: 'sent', events: ['RECEIVED', 'SENT'] },
    ...{ offsetsMs: [0, 1], durationMs: 1, route: claim.route, provider: 'test', providerMessageId: null },
    ...{ errorCode: null, errorCategory: null, errorMessage: null, retryDelayMs: null, detail: null },
    ...{ remaining: null, possibleDuplicate: false, repeatableMs: null, purge: false },
  };
}

const sent = (claim: Claim): Settlement => settlement(claim);

function retry(claim: Claim, retryDelayMs: number): Settlement {
  return {
    ...settlement(claim),
    ...{ status: 'retry', events: ['RECEIVED', 'RETRY_SCHEDULED'], retryDelayMs },
    ...{ errorCode: 'ECONNREFUSED', errorCategory: 'TRANSIENT_ERROR', errorMessage: 'for a test' },
  };
}
