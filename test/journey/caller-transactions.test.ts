import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallerTransaction } from '../../src/index.js';
import { waitFor } from '../services/index.js';
import { type Caller, callers } from './ground/callers.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';

/**
 * `send(email, { tx })` with each transaction object an application may hold: what it rolls back never
 * was, what it commits goes out, and what Postrider refuses leaves the transaction usable.
 */
const TABLES = ['emails', 'email_bodies', 'email_queue', 'email_attempts', 'email_facts', 'idempotency_keys'];

describe.each(callers)('send with %s', (_name, open) => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await open();
    await caller.rows('create table orders (id int)');
  });
  afterAll(() => caller.close());

  const counts = async () => {
    const all: Record<string, number> = {};
    for (const table of TABLES) {
      const [row] = (await caller.rows(`select count(*)::int as n from postrider.${table}`)) as Array<{
        n: number;
      }>;
      all[table] = row!.n;
    }
    return all;
  };
  const orders = async () => (await caller.rows('select id from orders')).length;

  test('rolled back → nothing exists in any table', async () => {
    const { postrider } = caller;
    const before = await counts();
    const rollback = new Error('the application changed its mind');
    await expect(
      caller.transaction(async (tx, run) => {
        await run('insert into orders values (1)');
        const accepted = await postrider.send(anEmail(), { tx, idempotencyKey: 'rolled-back' });
        expect(accepted).toMatchObject({ queued: true, status: 'pending' });
        await postrider.sendBatch([anEmail(), anEmail()], { tx });
        const later = await postrider.schedule(anEmail(), new Date(Date.now() + 60_000), { tx });
        expect(await postrider.cancel(later.emailId, { tx })).toMatchObject({ status: 'cancelled' });
        throw rollback;
      }),
    ).rejects.toBe(rollback);
    expect(await counts()).toEqual(before);
    expect(await orders()).toBe(0);
  });

  test('an expected refusal → thrown, and the transaction goes on', async () => {
    const { postrider } = caller;
    const email = anEmail();
    await postrider.send(email, { idempotencyKey: 'used' });
    await caller.transaction(async (tx, run) => {
      await run('insert into orders values (2)');
      const refusals: Array<[() => Promise<unknown>, string]> = [
        [
          () => postrider.send({ ...email, subject: 'Another' }, { tx, idempotencyKey: 'used' }),
          'IDEMPOTENCY_CONFLICT',
        ],
        [() => postrider.send({ ...email, to: 'nobody' }, { tx }), 'INVALID_EMAIL'],
        [
          () =>
            postrider.send(
              { ...email, recipient: { recipientId: crypto.randomUUID(), email: email.to } },
              { tx },
            ),
          'RECIPIENT_NOT_FOUND',
        ],
        [() => postrider.cancel(crypto.randomUUID(), { tx }), 'EMAIL_NOT_FOUND'],
        [() => postrider.reschedule(crypto.randomUUID(), new Date(), { tx }), 'EMAIL_NOT_FOUND'],
        [() => postrider.cancel('7', { tx }), 'EMAIL_NOT_FOUND'],
        [() => postrider.cancel(crypto.randomUUID(), { tx, companyId: 'a\0b' }), 'EMAIL_NOT_FOUND'],
        [() => postrider.reschedule("'", new Date(), { tx }), 'EMAIL_NOT_FOUND'],
        [() => postrider.reschedule(crypto.randomUUID(), new Date(Number.NaN), { tx }), 'INVALID_PAYLOAD'],
        [() => postrider.send(email, { tx, requestId: 'a\0b' }), 'INVALID_PAYLOAD'],
        [() => postrider.sendBatch([email], { tx, requestId: 'a b' }), 'INVALID_PAYLOAD'],
        [() => postrider.send(email, { tx, idempotencyKey: 'a\0b' }), 'INVALID_PAYLOAD'],
        [() => postrider.send(email, { tx, idempotencyKey: '' }), 'INVALID_PAYLOAD'],
      ];
      for (const [refused, code] of refusals) await expect(refused()).rejects.toMatchObject({ code });
      expect((await postrider.send(email, { tx, idempotencyKey: 'used' })).queued).toBe(true);
      await run('insert into orders values (3)');
    });
    expect(await orders()).toBe(2);
  });

  test('a recipient created in the same transaction → found', async () => {
    const { postrider } = caller;
    const id = crypto.randomUUID();
    const email = anEmail({ companyId: 'acme' });
    await caller.transaction(async (tx, run) => {
      await run(
        `insert into postrider.recipients (id, tenant, email) values ('${id}', 'acme', '${email.to}')`,
      );
      const recipient = { recipientId: id, email: email.to };
      expect(await postrider.send({ ...email, recipient }, { tx })).toMatchObject({ queued: true });
    });
  });

  test('committed → the email goes out and its status is sent', async () => {
    const { postrider, provider } = caller;
    await postrider.start();
    const ids: string[] = [];
    await caller.transaction(async (tx, run) => {
      await run('insert into orders values (4)');
      const email = anEmail({
        companyId: 'acme',
        metadata: { 'quote"': "it's", list: [1, null, 'ü'] },
        headers: { 'X-Note': 'a, {b} "c"' },
        attachments: [{ filename: 'a.txt', content: 'YQ==' }],
        html: '<p>Comma, {brace} "quote" \\ back</p>',
      });
      ids.push((await postrider.send(email, { tx, idempotencyKey: 'committed' })).emailId);
      const batch = await postrider.sendBatch([anEmail(), anEmail({ priority: 1 })], { tx });
      ids.push(...batch.map(({ emailId }) => emailId));
    });
    for (const id of ids) {
      const log = await waitFor(
        async () => {
          const found = await postrider.get(id);
          return found?.status === 'sent' && found;
        },
        { timeoutMs: 10_000, what: `${id} to be sent` },
      );
      expect(log.messageId).toBe(`p-${id}`);
      expect(provider.callsFor(id)).toHaveLength(1);
    }
    expect((await postrider.get(ids[0]!))!.metadata).toEqual({ 'quote"': "it's", list: [1, null, 'ü'] });
  });

  test('a limited type, a recipient and a suppression in one transaction → all of them hold in it', async () => {
    const { postrider } = caller;
    const companyId = 'limits';
    await caller.transaction(async (tx) => {
      const address = anEmail().to;
      await postrider.recipients.upsert([{ email: address, timeZone: 'Europe/Berlin' }], { tx, companyId });
      const data = { name: 'Ada', verifyUrl: 'https://example.com/verify', expiresInHours: 24 };
      const first = await postrider.send({ to: address, companyId, type: 'verification', data }, { tx });
      expect(first.rateLimit).toMatchObject({ limit: 3, remaining: 2 });
      const blocked = anEmail({ companyId });
      await postrider.suppressions.add([{ email: blocked.to, reason: 'manual' }], { tx, companyId });
      expect(await postrider.send(blocked, { tx })).toMatchObject({ queued: false, status: 'suppressed' });
    });
  });

  test('ids that are none and times that are none → no row, or a refusal that names its field', async () => {
    const { postrider } = caller;
    expect(await postrider.get('7')).toBeNull();
    expect(await postrider.timeline('a\0b')).toEqual([]);
    const { emailId } = await postrider.schedule(anEmail(), new Date(Date.now() + 60_000));
    for (const at of [new Date(Number.NaN), 'tomorrow', new Date(Date.now() + 400 * 24 * 3_600_000)]) {
      await expect(postrider.reschedule(emailId, at)).rejects.toMatchObject({
        code: 'INVALID_PAYLOAD',
        field: 'at',
      });
    }
    await postrider.cancel(emailId);
  });

  test('an object that is no transaction → UNSUPPORTED_TRANSACTION', async () => {
    for (const tx of [null, 1, {}, { query: 'no' }]) {
      await expect(caller.postrider.send(anEmail(), { tx: tx as never })).rejects.toMatchObject({
        code: 'UNSUPPORTED_TRANSACTION',
      });
    }
  });
});

test("cancel and a repeat in a pg transaction that reads times and JSON as text → Postrider's own answers", async () => {
  const journey = await openJourney();
  const asText = { getTypeParser: () => (text: string) => text };
  const client = new pg.Client({ connectionString: journey.url, types: asText as never });
  await client.connect();
  try {
    await client.query('begin');
    const email = anEmail({ metadata: { order: 7 } });
    const at = new Date(Date.now() + 60_000);
    const first = await journey.postrider.schedule(email, at, { tx: client, idempotencyKey: 'k' });
    const again = await journey.postrider.schedule(email, at, { tx: client, idempotencyKey: 'k' });
    expect(again).toEqual(first);
    const log = await journey.postrider.cancel(first.emailId, { tx: client });
    expect(log).toMatchObject({ metadata: { order: 7 }, scheduledAt: at.toISOString() });
    await client.query('commit');
  } finally {
    await client.end();
    await journey.close();
  }
});

describe.each(callers)('%s when its transaction is not open', (_name, open) => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await open();
    await caller.rows('create table orders (id int primary key)');
  });
  afterAll(() => caller.close());

  const written = async () =>
    Promise.all(
      ['emails', 'email_queue', 'idempotency_keys', 'rate_limit_slots', 'recipients', 'suppressions'].map(
        async (table) => [table, (await caller.rows(`select 1 from postrider.${table}`)).length],
      ),
    );

  /** Every call that takes a transaction. */
  function calls(tx: CallerTransaction): Array<() => Promise<unknown>> {
    const { postrider } = caller;
    const at = new Date(Date.now() + 60_000);
    const id = crypto.randomUUID();
    const typed = {
      to: anEmail().to,
      type: 'verification' as const,
      data: { name: 'Ada', verifyUrl: 'https://example.com/verify', expiresInHours: 24 },
    };
    return [
      () => postrider.send(anEmail(), { tx }),
      () => postrider.send(anEmail(), { tx, idempotencyKey: 'over' }),
      () => postrider.send(typed, { tx }),
      () => postrider.sendBatch([anEmail(), anEmail()], { tx }),
      () => postrider.schedule(anEmail(), at, { tx }),
      () => postrider.reschedule(id, at, { tx }),
      () => postrider.cancel(id, { tx }),
      () => postrider.recipients.upsert([{ email: anEmail().to }], { tx }),
      () => postrider.suppressions.add([{ email: anEmail().to, reason: 'manual' }], { tx }),
    ];
  }

  test('committed before → UNSUPPORTED_TRANSACTION from every call, and nothing is written', async () => {
    const before = await written();
    let over!: CallerTransaction;
    await caller.transaction(async (tx) => {
      over = tx;
    });
    for (const call of calls(over))
      await expect(call()).rejects.toMatchObject({ code: 'UNSUPPORTED_TRANSACTION', field: 'tx' });
    expect(await written()).toEqual(before);
  });

  test('a statement failed in it → TRANSACTION_ABORTED, which says that it must be rolled back', async () => {
    const before = await written();
    const changedItsMind = new Error('rolled back');
    await expect(
      caller.transaction(async (tx, run) => {
        await run('select 1 / 0').then(
          () => expect.unreachable(),
          () => undefined,
        );
        for (const call of calls(tx))
          await expect(call()).rejects.toMatchObject({
            code: 'TRANSACTION_ABORTED',
            help: expect.stringContaining('Roll back'),
          });
        throw changedItsMind;
      }),
    ).rejects.toThrow();
    expect(await written()).toEqual(before);
  });
});

const onPg = callers.filter(([name]) => /pg|Kysely|Knex|TypeORM/.test(name));
describe.each(onPg)('%s after a commit in a statement of the application', (_name, open) => {
  let caller: Caller;
  beforeAll(async () => {
    caller = await open();
  });
  afterAll(() => caller.close());

  test.each(['tells its state', 'tells no state, as before 8.20'])(
    'pg %s → UNSUPPORTED_TRANSACTION, nothing is written',
    async (how) => {
      const prototype = pg.Client.prototype as { getTransactionStatus?: unknown };
      const kept = prototype.getTransactionStatus;
      expect(kept).toBeTypeOf('function');
      if (how !== 'tells its state') delete prototype.getTransactionStatus;
      try {
        await caller.transaction(async (tx, run) => {
          expect(await caller.postrider.send(anEmail(), { tx })).toMatchObject({ queued: true });
          await run('rollback');
          await expect(caller.postrider.send(anEmail(), { tx })).rejects.toMatchObject({
            code: 'UNSUPPORTED_TRANSACTION',
          });
        });
      } finally {
        prototype.getTransactionStatus = kept;
      }
      expect(await caller.rows('select 1 from postrider.emails')).toEqual([]);
    },
  );
});

describe('a pg client', () => {
  let journey: Journey;
  let pool: pg.Pool;
  beforeAll(async () => {
    journey = await openJourney();
    pool = new pg.Pool({ connectionString: journey.url, max: 1 });
  });
  afterAll(async () => {
    await pool.end();
    await journey.close();
  });

  const refused = async (tx: unknown) => {
    await expect(journey.postrider.send(anEmail(), { tx: tx as CallerTransaction })).rejects.toMatchObject({
      code: 'UNSUPPORTED_TRANSACTION',
      field: 'tx',
    });
    expect((await journey.pool.query('select 1 from postrider.emails')).rowCount).toBe(0);
  };

  test('before begin, after commit and after rollback → UNSUPPORTED_TRANSACTION, nothing is written', async () => {
    const client = await pool.connect();
    try {
      await refused(client);
      for (const end of ['commit', 'rollback']) {
        await client.query('begin');
        await client.query(end);
        await refused(client);
      }
    } finally {
      client.release();
    }
  });

  test('released → UNSUPPORTED_TRANSACTION, nothing is written', async () => {
    const client = await pool.connect();
    await client.query('begin');
    await client.query('rollback');
    client.release();
    await refused(client);
  });

  test('never connected, or ended → UNSUPPORTED_TRANSACTION instead of waiting', async () => {
    const client = new pg.Client({ connectionString: journey.url });
    await refused(client);
    await client.connect();
    await client.end();
    await refused(client);
  });

  test('one whose driver tells no state → the server is asked, before begin and after commit', async () => {
    const client = await pool.connect();
    Object.assign(client, { getTransactionStatus: undefined });
    const plain = { query: (text: string, values: unknown[]) => client.query(text, values) };
    try {
      await refused(plain);
      await client.query('begin');
      expect(await journey.postrider.send(anEmail(), { tx: plain })).toMatchObject({ queued: true });
      await client.query('rollback');
      await refused(plain);
      await refused(client);
    } finally {
      client.release(true);
    }
  });

  test('a { query } that hands every statement to a pool → UNSUPPORTED_TRANSACTION', async () => {
    await refused({ query: (text: string, values: unknown[]) => pool.query(text, values) });
  });

  test('begin not awaited → the transaction it begins', async () => {
    const client = await pool.connect();
    try {
      const begun = client.query('begin');
      expect(await journey.postrider.send(anEmail(), { tx: client })).toMatchObject({ queued: true });
      await begun;
      await client.query('rollback');
      expect((await journey.pool.query('select 1 from postrider.emails')).rowCount).toBe(0);
    } finally {
      client.release();
    }
  });

  test('commit not awaited → UNSUPPORTED_TRANSACTION, nothing is written', async () => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const ended = client.query('commit');
      await refused(client);
      await ended;
    } finally {
      client.release();
    }
  });

  test('a transaction that is open → no statement more than the email needs', async () => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await journey.postrider.send(anEmail(), { tx: client });
      const asked: string[] = [];
      const query = client.query.bind(client);
      Object.assign(client, {
        query: (text: string, values: unknown[]) => {
          asked.push(text);
          return query(text, values);
        },
      });
      await journey.postrider.send(anEmail(), { tx: client });
      expect(asked.filter((text) => /insert into postrider\.emails/.test(text))).toHaveLength(1);
      expect(asked.filter((text) => /^\s*(lock|savepoint)/i.test(text))).toEqual([]);
    } finally {
      client.release(true);
    }
  });
});

test("a transaction of Postrider's own, kept past its end → TRANSACTION_ENDED", async () => {
  const journey = await openJourney();
  try {
    let kept!: CallerTransaction;
    await journey.postrider.transaction(async (tx) => {
      kept = tx;
      expect(await journey.postrider.send(anEmail(), { tx })).toMatchObject({ queued: true });
    });
    await expect(journey.postrider.send(anEmail(), { tx: kept })).rejects.toMatchObject({
      code: 'TRANSACTION_ENDED',
    });
    const store = (await journey.postrider.connect()) as unknown as CallerTransaction;
    await expect(journey.postrider.send(anEmail(), { tx: store })).rejects.toMatchObject({
      code: 'UNSUPPORTED_TRANSACTION',
    });
  } finally {
    await journey.close();
  }
});
