import { PGlite } from '@electric-sql/pglite';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostrider, type Postrider } from '../../src/index.js';
import { waitFor } from '../services/index.js';
import { anEmail, openJourney } from './ground/open-journey.js';
import { type ScriptedProvider, scriptedProvider } from './ground/scripted-provider.js';

/**
 * `send(email, { tx })` with each transaction object an application may hold: what it rolls back never
 * was, what it commits goes out, and what Postrider refuses leaves the transaction usable.
 */
interface Caller {
  postrider: Postrider;
  provider: ScriptedProvider;
  /** Runs `work` in a transaction of the application's own; a throw rolls back. */
  transaction(work: (tx: unknown, run: (sql: string) => Promise<unknown>) => Promise<void>): Promise<void>;
  rows(sql: string): Promise<unknown[]>;
  close(): Promise<void>;
}

async function onPostgres(
  begin: (url: string) => Promise<Pick<Caller, 'transaction'> & { end(): Promise<void> }>,
): Promise<Caller> {
  const journey = await openJourney();
  const { transaction, end } = await begin(journey.url);
  return {
    ...journey,
    transaction,
    rows: async (sql) => (await journey.pool.query(sql)).rows,
    async close() {
      await end();
      await journey.close();
    },
  };
}

const callers: Array<[string, () => Promise<Caller>]> = [
  ['a pg client', () => onPostgres((url) => withPg(url, (client) => client))],
  [
    'a plain { query }',
    () =>
      onPostgres((url) =>
        withPg(url, (client) => ({
          query: (text: string, values: unknown[]) => client.query(text, values),
        })),
      ),
  ],
  [
    'a { query } that answers with rows alone',
    () =>
      onPostgres((url) =>
        withPg(url, (client) => ({
          query: async (text: string, values: unknown[]) => (await client.query(text, values)).rows,
        })),
      ),
  ],
  ['postgres.js', () => onPostgres(withPostgresJs)],
  ['PGlite', withPglite],
];

async function withPg(url: string, asTx: (client: import('pg').PoolClient) => unknown) {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const transaction: Caller['transaction'] = async (work) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await work(asTx(client), (sql) => client.query(sql));
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  };
  return { transaction, end: () => pool.end() };
}

async function withPostgresJs(url: string) {
  const sql = postgres(url, { max: 2, onnotice: () => {} });
  const transaction: Caller['transaction'] = async (work) => {
    await sql.begin((tx) => work(tx, (text) => tx.unsafe(text)));
  };
  return { transaction, end: () => sql.end() };
}

async function withPglite(): Promise<Caller> {
  const pglite = await PGlite.create();
  const provider = scriptedProvider();
  const postrider = createPostrider({
    database: pglite,
    provider,
    from: { address: 'noreply@example.com' },
    config: { log: { level: 'error' }, worker: { pollIntervalMs: 100 } },
  });
  await postrider.ready();
  return {
    postrider,
    provider,
    transaction: async (work) => {
      await pglite.transaction((tx) => work(tx, (sql) => tx.query(sql)));
    },
    rows: async (sql) => (await pglite.query(sql)).rows,
    async close() {
      await postrider.stop({ deadlineMs: 2000 });
      await pglite.close();
    },
  };
}

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
      await postrider.send({ ...email, recipient: { recipientId: id, email: email.to } }, { tx });
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
      await expect(caller.postrider.send(anEmail(), { tx })).rejects.toMatchObject({
        code: 'UNSUPPORTED_TRANSACTION',
      });
    }
  });
});

test("cancel and a repeat in a pg transaction that reads times and JSON as text → Postrider's own answers", async () => {
  const { default: pg } = await import('pg');
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
