import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../services/index.js';
import { type Caller, callers } from './ground/callers.js';
import { anEmail, openJourney } from './ground/open-journey.js';

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

test.each(callers.filter(([name]) => /Knex|TypeORM/.test(name)))(
  '%s after its end → TRANSACTION_ENDED, nothing written outside it',
  async (_name, open) => {
    const caller = await open();
    try {
      let over: unknown;
      await caller.transaction(async (tx) => {
        over = tx;
      });
      await expect(caller.postrider.send(anEmail(), { tx: over })).rejects.toMatchObject({
        code: expect.stringMatching(/^(TRANSACTION_ENDED|UNSUPPORTED_TRANSACTION)$/),
      });
      expect(await caller.rows('select 1 from postrider.emails')).toEqual([]);
    } finally {
      await caller.close();
    }
  },
);
