import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Postrider } from '../../src/index.js';
import { forgetIdleShares } from '../../src/policy/index.js';
import { awayFromWindowEnd } from './ground/away-from-window-end.js';
import { openEmbedded } from './ground/open-embedded.js';
import { anEmail, openJourney } from './ground/open-journey.js';

beforeEach(() => awayFromWindowEnd(), 30_000);

/** How many emails a company may send per day and month, on both stores. */
interface Subject {
  postrider: Postrider;
  close(): Promise<void>;
}

const subjects: Array<[string, () => Promise<Subject>]> = [
  ['PostgreSQL', () => openJourney()],
  ['PGlite', () => openEmbedded()],
];

const many = (count: number, companyId: string) =>
  Array.from({ length: count }, () => anEmail({ companyId }));

describe.each(subjects)('quotas on %s', (_name, open) => {
  let subject: Subject;
  let postrider: Postrider;
  beforeAll(async () => {
    subject = await open();
    postrider = subject.postrider;
  });
  afterAll(() => subject.close());

  const used = async (companyId: string) =>
    (await postrider.quotas.list({ companyId })).quotas.map((entry) => [
      entry.period,
      entry.used,
      entry.remaining,
    ]);

  test('five a day → the sixth is a 429 with the reset, other companies go on', async () => {
    await postrider.quotas.set({ companyId: 'five', period: 'day', limit: 5 });
    for (const email of many(5, 'five')) await postrider.send(email);
    const midnight = new Date();
    midnight.setUTCHours(24, 0, 0, 0);
    await expect(postrider.send(anEmail({ companyId: 'five' }))).rejects.toMatchObject({
      ...{ code: 'QUOTA_EXCEEDED', status: 429, retryable: true },
      rateLimit: { limit: 5, remaining: 0, resetAt: midnight },
      retryAfterSeconds: expect.any(Number),
    });
    expect(await used('five')).toEqual([['day', 5, 0]]);
    expect(await postrider.send(anEmail({ companyId: 'six' }))).toMatchObject({ queued: true });
  });

  test('emails to suppressed addresses → cost nothing, alone and in a batch', async () => {
    await postrider.quotas.set({ companyId: 'careful', period: 'month', limit: 1 });
    const unwanted = anEmail({ companyId: 'careful', to: 'gone@example.com' });
    await postrider.suppressions.add([{ email: 'gone@example.com' }], { companyId: 'careful' });
    expect(await postrider.send(unwanted)).toMatchObject({ status: 'suppressed' });
    expect(await used('careful')).toEqual([['month', 0, 1]]);
    const answers = await postrider.sendBatch([unwanted, anEmail({ companyId: 'careful' }), unwanted]);
    expect(answers.map(({ queued }) => queued)).toEqual([false, true, false]);
    await expect(postrider.sendBatch([unwanted, anEmail({ companyId: 'careful' })])).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      field: '[1]',
    });
  });

  test('a batch larger than what is left → its index is named, nothing is counted', async () => {
    await postrider.quotas.set({ companyId: 'batch', period: 'month', limit: 300 });
    await postrider.sendBatch(many(200, 'batch'));
    await expect(postrider.sendBatch(many(150, 'batch'))).rejects.toMatchObject({
      ...{ code: 'QUOTA_EXCEEDED', field: '[100]', rateLimit: { limit: 300, remaining: 100 } },
    });
    expect(await used('batch')).toEqual([['month', 200, 100]]);
    expect(await postrider.sendBatch(many(100, 'batch'))).toHaveLength(100);
    expect(await used('batch')).toEqual([['month', 300, 0]]);
  });

  test('day and month → the narrower decides, and what it refuses costs neither', async () => {
    await postrider.quotas.set({ companyId: 'both', period: 'day', limit: 10 });
    await postrider.quotas.set({ companyId: 'both', period: 'month', limit: 4 });
    await postrider.sendBatch(many(4, 'both'));
    await expect(postrider.send(anEmail({ companyId: 'both' }))).rejects.toMatchObject({
      ...{ code: 'QUOTA_EXCEEDED', rateLimit: { limit: 4 } },
    });
    expect(await used('both')).toEqual([
      ['day', 4, 6],
      ['month', 4, 0],
    ]);
  });

  test('rolled back → not counted', async () => {
    await postrider.quotas.set({ companyId: 'back', period: 'day', limit: 1 });
    const email = anEmail({ companyId: 'back' });
    await expect(
      postrider.transaction(async (tx) => {
        await postrider.send(email, { tx });
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await postrider.send(email)).toMatchObject({ queued: true });
  });

  test('refused inside a transaction → it goes on, and the limit of the type is not spent', async () => {
    await postrider.quotas.set({ companyId: 'inside', period: 'day', limit: 0 });
    const email = anEmail({ companyId: 'inside', type: 'welcome' });
    await postrider.transaction(async (tx) => {
      await expect(postrider.send(email, { tx })).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
      await postrider.send(anEmail(), { tx });
    });
    await postrider.quotas.remove({ companyId: 'inside', period: 'day' });
    expect((await postrider.send(email)).rateLimit).toMatchObject({ remaining: 0 });
  });

  test('made smaller than what is spent, then larger → holds at once each time', async () => {
    const set = (limit: number) => postrider.quotas.set({ companyId: 'moves', period: 'day', limit });
    await set(1000);
    await postrider.sendBatch(many(500, 'moves'));
    expect(await set(400)).toMatchObject({ limit: 400, used: 500, remaining: 0 });
    await expect(postrider.send(anEmail({ companyId: 'moves' }))).rejects.toMatchObject({
      ...{ code: 'QUOTA_EXCEEDED' },
    });
    expect(await set(502)).toMatchObject({ used: 500, remaining: 2 });
    await postrider.sendBatch(many(2, 'moves'));
    await expect(postrider.send(anEmail({ companyId: 'moves' }))).rejects.toMatchObject({
      ...{ code: 'QUOTA_EXCEEDED' },
    });
  });

  test('a new day → counted from nothing', async () => {
    await postrider.quotas.set({ companyId: 'days', period: 'day', limit: 3 });
    await postrider.sendBatch(many(3, 'days'));
    await (await postrider.ready()).query(
      "update postrider.quota_shares set period_start = period_start - interval '1 day' where tenant = 'days'",
    );
    expect(await used('days')).toEqual([['day', 0, 3]]);
    expect(await postrider.sendBatch(many(3, 'days'))).toHaveLength(3);
    expect(await used('days')).toEqual([['day', 3, 0]]);
  });

  test('removed → no quota; set again the same day → what was spent is still known', async () => {
    await postrider.quotas.set({ companyId: 'again', period: 'day', limit: 1 });
    await postrider.send(anEmail({ companyId: 'again' }));
    expect(await postrider.quotas.remove({ companyId: 'again', period: 'day' })).toBe(true);
    expect(await postrider.quotas.remove({ companyId: 'again', period: 'day' })).toBe(false);
    await postrider.send(anEmail({ companyId: 'again' }));
    expect(await postrider.quotas.set({ companyId: 'again', period: 'day', limit: 1 })).toMatchObject({
      ...{ used: 1 },
    });
  });

  test('one email after another → one share; idle for two periods → no share; then counted again', async () => {
    const store = await postrider.ready();
    const shares = async () =>
      (
        await store.query<{ n: number }>(
          "select count(*)::int as n from postrider.quota_shares where tenant = 'calm'",
        )
      ).rows[0]!.n;
    await postrider.quotas.set({ companyId: 'calm', period: 'day', limit: 12_800 });
    for (const email of many(5, 'calm')) await postrider.send(email);
    expect(await shares()).toBe(1);
    await forgetIdleShares(store);
    expect(await used('calm')).toEqual([['day', 5, 12_795]]);
    await store.query(
      "update postrider.quota_shares set period_start = period_start - interval '2 days' where tenant = 'calm'",
    );
    await forgetIdleShares(store);
    expect(await shares()).toBe(0);
    await postrider.sendBatch(many(300, 'calm'));
    expect(await used('calm')).toEqual([['day', 300, 12_500]]);
    expect(await shares()).toBe(3);
  });

  test('quotas of three companies two at a time → each once, in order, and a cursor between', async () => {
    for (const period of ['day', 'month'] as const)
      for (const companyId of ['zz1', 'zz2', 'zz3'])
        await postrider.quotas.set({ companyId, period, limit: 7 });
    const seen: string[] = [];
    let cursor: string | undefined = 'zz/month';
    while (cursor !== undefined) {
      const page = await postrider.quotas.list({ limit: 2, cursor });
      expect(page.quotas.length).toBeLessThanOrEqual(2);
      seen.push(...page.quotas.map(({ companyId, period }) => `${companyId} ${period}`));
      cursor = page.nextCursor ?? undefined;
    }
    const expected = ['zz1 day', 'zz1 month', 'zz2 day', 'zz2 month', 'zz3 day', 'zz3 month'];
    expect(seen).toEqual(expected);
    await expect(postrider.quotas.list({ limit: 0 })).rejects.toMatchObject({ field: 'limit' });
    await expect(postrider.quotas.list({ cursor: 'x' })).rejects.toMatchObject({ field: 'cursor' });
  });

  test('fifty at once with a quota of twenty → twenty accepted', async () => {
    await postrider.quotas.set({ companyId: 'rush', period: 'day', limit: 20 });
    const results = await Promise.allSettled(many(50, 'rush').map((email) => postrider.send(email)));
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'QUOTA_EXCEEDED' });
    const accepted = results.filter(({ status }) => status === 'fulfilled').length;
    expect(accepted).toBe(20);
    expect(await used('rush')).toEqual([['day', 20, 0]]);
  });

  test.each([
    [{ companyId: 'x', period: 'day', limit: -1 }, 'limit'],
    [{ companyId: 'x', period: 'day', limit: 1.5 }, 'limit'],
    [{ companyId: 'x', period: 'day' }, 'limit'],
    [{ companyId: 'x', period: 'year', limit: 1 }, 'period'],
    [{ companyId: 'a\0b', period: 'day', limit: 1 }, 'companyId'],
    [{ period: 'day', limit: 1 }, 'companyId'],
    [{ companyId: 'x', period: 'day', limit: 1, used: 0 }, 'used'],
  ])('setting %j → refused with its field', async (change, field) => {
    await expect(postrider.quotas.set(change as never)).rejects.toMatchObject({
      ...{ code: 'INVALID_PAYLOAD', field },
    });
  });
});

describe('quotas in callers’ own transactions on PostgreSQL', () => {
  test('fifty transactions of one company held open → all accepted, nobody waits; near the end the held ones count', async () => {
    const journey = await openJourney();
    const pool = new pg.Pool({ connectionString: journey.url, max: 50 });
    pool.on('error', () => undefined);
    try {
      await journey.postrider.quotas.set({ companyId: 'open', period: 'day', limit: 60 });
      const clients = await Promise.all(Array.from({ length: 50 }, () => pool.connect()));
      await Promise.all(clients.map((client) => client.query('begin')));
      // All are answered while all are open: whoever had waited would wait still.
      await Promise.all(
        clients.map((client) => journey.postrider.send(anEmail({ companyId: 'open' }), { tx: client })),
      );
      await journey.postrider.sendBatch(many(10, 'open'));
      await expect(journey.postrider.send(anEmail({ companyId: 'open' }))).rejects.toMatchObject({
        ...{ code: 'QUOTA_EXCEEDED', retryAfterSeconds: 1, rateLimit: { limit: 60, remaining: 50 } },
      });
      await clients[0]!.query('rollback');
      await Promise.all(clients.slice(1).map((client) => client.query('commit')));
      for (const client of clients) client.release();
      expect(await journey.postrider.send(anEmail({ companyId: 'open' }))).toMatchObject({ queued: true });
      await expect(journey.postrider.send(anEmail({ companyId: 'open' }))).rejects.toMatchObject({
        ...{ code: 'QUOTA_EXCEEDED', rateLimit: { remaining: 0 } },
      });
    } finally {
      await pool.end();
      await journey.close();
    }
  });
});
