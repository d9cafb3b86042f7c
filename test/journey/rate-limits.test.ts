import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EmailInput, Postrider } from '../../src/index.js';
import { forgetOldSlots } from '../../src/policy/index.js';
import { waitFor } from '../services/index.js';
import { awayFromWindowEnd } from './ground/away-from-window-end.js';
import { openEmbedded } from './ground/open-embedded.js';
import { anEmail, openJourney } from './ground/open-journey.js';

beforeEach(() => awayFromWindowEnd(), 30_000);

/** How often one recipient may get a type, counted in the transaction that accepts, on both stores. */
interface Subject {
  postrider: Postrider;
  close(): Promise<void>;
}

const subjects: Array<[string, () => Promise<Subject>]> = [
  ['PostgreSQL', () => openJourney()],
  ['PGlite', () => openEmbedded()],
];

const limited = (type: string, parts: Partial<EmailInput> = {}) => anEmail({ type, ...parts });
const accepted = (results: PromiseSettledResult<unknown>[]) =>
  results.filter(({ status }) => status === 'fulfilled').length;

describe.each(subjects)('rate limits on %s', (_name, open) => {
  let subject: Subject;
  let postrider: Postrider;
  beforeAll(async () => {
    subject = await open();
    postrider = subject.postrider;
  });
  afterAll(() => subject.close());

  const slots = async (type: string) => {
    const { rows } = await (await postrider.ready()).query<{ n: number }>(
      'select count(*)::int as n from postrider.rate_limit_slots where type = $1',
      [type],
    );
    return rows[0]!.n;
  };

  test('an email to a suppressed address → is suppressed, not refused, and takes nothing of the limit', async () => {
    const email = limited('deletion_scheduled');
    const who = { email: email.to as string };
    await postrider.suppressions.add([who]);
    for (let n = 0; n < 2; n++) {
      const answer = await postrider.send(email);
      expect(answer).toMatchObject({ queued: false, status: 'suppressed' });
      expect(answer.rateLimit).toBeUndefined();
    }
    await postrider.suppressions.remove(who);
    expect(await postrider.send(email)).toMatchObject({ queued: true, rateLimit: { remaining: 0 } });
    await postrider.suppressions.add([who]);
    expect(await postrider.send(email)).toMatchObject({ status: 'suppressed' });
  });

  test('an address that is counted and suppressed, no key set → one hash in both tables', async () => {
    const email = limited('deletion_scheduled');
    await postrider.send(email);
    await postrider.suppressions.add([{ email: String(email.to).toUpperCase() }]);
    const { rows } = await (await postrider.ready()).query<{ n: number }>(
      `select count(*)::int as n from postrider.rate_limit_slots c
       join postrider.suppressions s on s.address_hash = c.recipient and s.tenant = c.tenant
       where lower(s.address) = $1`,
      [String(email.to)],
    );
    expect(rows[0]!.n).toBe(1);
  });

  test('three verifications an hour → each says what is left, the fourth is a 429 with limit and reset', async () => {
    const email = limited('verification');
    const left = [];
    for (let n = 0; n < 3; n++) left.push((await postrider.send(email)).rateLimit);
    expect(left.map((state) => state?.remaining)).toEqual([2, 1, 0]);
    const refusal = await postrider.send(email).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      code: 'RATE_LIMITED',
      status: 429,
      field: 'to',
      retryable: true,
      rateLimit: { limit: 3, remaining: 0, resetAt: new Date(left[2]!.resetAt!) },
    });
    const wait = new Date(left[2]!.resetAt!).getTime() - Date.now();
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(3_600_000 + 1000);
    expect(await postrider.send({ ...email, type: 'password_reset' })).toMatchObject({ queued: true });
    expect(await postrider.send({ ...email, companyId: 'another' })).toMatchObject({ queued: true });
    expect(await postrider.send(limited('verification'))).toMatchObject({ queued: true });
  });

  test('welcome is once per person → the second never passes by itself', async () => {
    const email = limited('welcome');
    expect((await postrider.send(email)).rateLimit).toEqual({ limit: 1, remaining: 0, resetAt: null });
    await expect(postrider.send(email)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryable: false,
      rateLimit: { limit: 1, remaining: 0, resetAt: null },
    });
  });

  test('a type without a limit, or no type → no limit and no word of one', async () => {
    const email = limited('password_changed');
    for (let n = 0; n < 8; n++) expect(await postrider.send(email)).not.toHaveProperty('rateLimit');
  });

  test('the same address in other case, or in cc or bcc → the same limit', async () => {
    const { to } = anEmail();
    await postrider.send(limited('reminder', { to: to.toUpperCase() }));
    for (const parts of [{ to }, { cc: to }, { bcc: to }]) {
      const field = Object.keys(parts)[0];
      await expect(postrider.send(limited('reminder', parts))).rejects.toMatchObject({
        code: 'RATE_LIMITED',
        field,
      });
    }
    expect(await slots('reminder')).toBe(1);
  });

  test('the store holds no address where it counts', async () => {
    await postrider.send(limited('streak_warning', { to: 'plainly-visible@example.net' }));
    const { rows } = await (await postrider.ready()).query<{ row: string }>(
      'select s::text as row from postrider.rate_limit_slots s',
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { row } of rows) expect(row).not.toContain('plainly');
  });

  test('a person erased → what was counted for them is gone in every company, others keep theirs', async () => {
    const [gone, stays] = [limited('checkin_reminder'), limited('checkin_reminder')];
    for (const companyId of ['erase-1', 'erase-2'])
      for (const email of [gone, stays]) await postrider.send({ ...email, companyId });
    await postrider.erase({ email: gone.to.toUpperCase().replace('EXAMPLE.NET', 'example.net') });
    expect(await slots('checkin_reminder')).toBe(2);
    expect(await postrider.send({ ...gone, companyId: 'erase-2' })).toMatchObject({ queued: true });
  });

  test('fifty at once with a limit of three → three accepted, the others refused', async () => {
    const email = limited('password_reset');
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => postrider.send(email)));
    expect(accepted(results)).toBe(3);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'RATE_LIMITED' });
  });

  test('a transaction rolled back → its slot is free again', async () => {
    const email = limited('inactivity');
    await expect(
      postrider.transaction(async (tx) => {
        await postrider.send(email, { tx });
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await slots('inactivity')).toBe(0);
    expect(await postrider.send(email)).toMatchObject({ queued: true });
  });

  test('refused inside a transaction → it goes on and commits', async () => {
    const email = limited('deletion_scheduled');
    await postrider.send(email);
    const other = await postrider.transaction(async (tx) => {
      await expect(postrider.send(email, { tx })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
      return postrider.send(anEmail(), { tx });
    });
    expect(await postrider.get(other.emailId)).toMatchObject({ id: other.emailId });
  });

  test('one email too many in a batch → its index is named, nothing is accepted or counted', async () => {
    const { to } = anEmail();
    const batch = [anEmail(), ...[0, 1, 2, 3, 4, 5].map(() => limited('circle_invitation', { to }))];
    await expect(postrider.sendBatch(batch)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      field: '[6].to',
      rateLimit: { limit: 5 },
    });
    expect(await slots('circle_invitation')).toBe(0);
    const answers = await postrider.sendBatch(batch.slice(0, 6));
    expect(answers[0]).not.toHaveProperty('rateLimit');
    expect(answers[5]).toMatchObject({ rateLimit: { limit: 5, remaining: 0 } });
  });

  test('a batch of hundreds → written as a whole or, for one too many or one not valid near its end, not at all', async () => {
    const { to } = anEmail();
    const batch = Array.from({ length: 260 }, (_, place) =>
      [130, 131, 200, 201, 250, 259].includes(place) ? limited('circle_invitation', { to }) : anEmail(),
    );
    const before = await slots('circle_invitation');
    const written = async (requestId: string) => {
      const sql = 'select id, to_address from postrider.emails where request_id = $1';
      return (await (await postrider.ready()).query<{ id: string; to_address: string }>(sql, [requestId]))
        .rows;
    };
    await expect(postrider.sendBatch(batch, { requestId: 'too-many' })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      field: '[259].to',
    });
    const broken = batch.map((email, place) => (place === 255 ? { ...email, to: 'nowhere' } : email));
    await expect(postrider.sendBatch(broken, { requestId: 'broken' })).rejects.toMatchObject({
      code: 'INVALID_EMAIL',
      field: '[255].to',
    });
    expect([...(await written('too-many')), ...(await written('broken'))]).toEqual([]);
    expect(await slots('circle_invitation')).toBe(before);
    const answers = await postrider.sendBatch(batch.slice(0, 259), { requestId: 'whole' });
    const found = new Map((await written('whole')).map((row) => [row.id, row.to_address]));
    expect(answers.map(({ emailId }) => found.get(emailId))).toEqual(
      batch.slice(0, 259).map((email) => email.to),
    );
    expect(answers[250]).toMatchObject({ rateLimit: { limit: 5, remaining: 0 } });
    expect(answers[251]).not.toHaveProperty('rateLimit');
  });

  test('a refused batch in a transaction → what its other emails wanted is not counted', async () => {
    const spent = limited('reminder');
    await postrider.send(spent);
    const fresh = limited('reminder');
    await postrider.transaction(async (tx) => {
      await expect(postrider.sendBatch([fresh, spent], { tx })).rejects.toMatchObject({
        code: 'RATE_LIMITED',
        field: '[1].to',
      });
    });
    expect(await postrider.send(fresh)).toMatchObject({ queued: true });
  });

  test('the same key again when the limit is spent → the first answer, nothing counted', async () => {
    const email = limited('weekly_focus');
    const first = await postrider.send(email, { idempotencyKey: 'weekly' });
    expect(await postrider.send(email, { idempotencyKey: 'weekly' })).toEqual(first);
    await expect(postrider.send(email)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  test('limits set for all, for one company, lifted and removed → hold at once', async () => {
    const { to } = anEmail();
    const send = (companyId: string) => postrider.send(limited('own_type', { to, companyId }));
    await postrider.rateLimits.set({ type: 'own_type', limit: 1, windowSeconds: 86_400 });
    await postrider.rateLimits.set({ type: 'own_type', companyId: 'big', limit: 2, windowSeconds: 86_400 });
    await send('small');
    await expect(send('small')).rejects.toMatchObject({ rateLimit: { limit: 1 } });
    await send('big');
    await send('big');
    await expect(send('big')).rejects.toMatchObject({ rateLimit: { limit: 2 } });
    await postrider.rateLimits.set({ type: 'own_type', companyId: 'big', limit: null });
    expect(await send('big')).not.toHaveProperty('rateLimit');
    const listed = await postrider.rateLimits.list({ companyId: 'big' });
    expect(listed.filter(({ type }) => type === 'own_type')).toEqual([
      { type: 'own_type', companyId: null, limit: 1, windowSeconds: 86_400, source: 'set' },
      { type: 'own_type', companyId: 'big', limit: null, windowSeconds: null, source: 'set' },
    ]);
    expect(listed).toContainEqual({
      ...{ type: 'verification', companyId: null, limit: 3, windowSeconds: 3600, source: 'declared' },
    });
    expect(await postrider.rateLimits.remove({ type: 'own_type' })).toBe(true);
    expect(await postrider.rateLimits.remove({ type: 'own_type' })).toBe(false);
    expect(await send('small')).not.toHaveProperty('rateLimit');
  });

  test('asking what a recipient has left → the answer, and nothing counted', async () => {
    const email = limited('verification');
    const ask = () => postrider.rateLimits.check({ address: email.to, type: 'verification' });
    expect(await ask()).toMatchObject({ allowed: true, limit: 3, remaining: 3 });
    await postrider.sendBatch([email, email, email]);
    expect(await ask()).toMatchObject({ allowed: false, remaining: 0, resetAt: expect.any(Date) });
    expect(await postrider.rateLimits.check({ address: email.to, type: 'password_changed' })).toEqual({
      ...{ allowed: true, limit: null, remaining: null, resetAt: null },
    });
  });

  test.each([
    [{ type: 'verification', limit: 0, windowSeconds: 60 }, 'limit'],
    [{ type: 'verification', limit: 1.5, windowSeconds: 60 }, 'limit'],
    [{ type: 'verification', limit: 1001, windowSeconds: 60 }, 'limit'],
    [{ type: 'verification', limit: 1 }, 'windowSeconds'],
    [{ type: 'verification', limit: 1, windowSeconds: -1 }, 'windowSeconds'],
    [{ type: 'no such name!', limit: 1, windowSeconds: 60 }, 'type'],
    [{ type: 'verification', companyId: 'a\0b', limit: 1, windowSeconds: 60 }, 'companyId'],
    [{ type: 'verification', limit: 1, windowSeconds: 60, windows: 1 }, 'windows'],
  ])('setting %j → refused with its field', async (change, field) => {
    await expect(postrider.rateLimits.set(change as never)).rejects.toMatchObject({
      code: 'INVALID_PAYLOAD',
      field,
    });
  });

  test('the window ends by the database’s clock → the next email is accepted, old windows are removed', async () => {
    await postrider.rateLimits.set({ type: 'quick', limit: 1, windowSeconds: 2 });
    const email = limited('quick');
    const { rateLimit } = await postrider.send(email);
    const resetAt = new Date(rateLimit!.resetAt!).getTime();
    expect(resetAt % 2000).toBe(0);
    const database = await postrider.ready();
    const now = async () => {
      const { rows } = await database.query<{ ms: number }>(
        'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
      );
      return rows[0]!.ms;
    };
    const answer = await waitFor(() => postrider.send(email), { timeoutMs: 5000, what: 'the next window' });
    expect(await now()).toBeGreaterThanOrEqual(resetAt);
    expect(new Date(answer.rateLimit!.resetAt!).getTime()).toBeGreaterThan(resetAt);
    expect(await slots('quick')).toBe(2);
    await waitFor(async () => (await forgetOldSlots(database)) >= 0 && (await slots('quick')) === 0, {
      ...{ timeoutMs: 5000, what: 'the old windows to go' },
    });
    expect(await slots('welcome')).toBe(1);
  });
});

describe('rate limits in callers’ own transactions on PostgreSQL', () => {
  test('fifty transactions held open with a limit of three → three hold it, nobody waits; one rolled back frees one', async () => {
    const journey = await openJourney();
    const pool = new pg.Pool({ connectionString: journey.url, max: 50 });
    pool.on('error', () => undefined);
    try {
      const email = limited('verification');
      const clients = await Promise.all(Array.from({ length: 50 }, () => pool.connect()));
      await Promise.all(clients.map((client) => client.query('begin')));
      const results = await Promise.allSettled(
        clients.map(async (client) => {
          const { emailId } = await journey.postrider.send(email, { tx: client });
          return { client, emailId };
        }),
      );
      expect(accepted(results)).toBe(3);
      // All answered while all transactions are open: whoever had waited would wait still.
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'RATE_LIMITED' });
      const holders = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      await holders[0]!.client.query('rollback');
      await Promise.all(
        clients.filter((client) => client !== holders[0]!.client).map((client) => client.query('commit')),
      );
      for (const client of clients) client.release();
      expect((await journey.postrider.send(email)).rateLimit?.remaining).toBe(0);
      await expect(journey.postrider.send(email)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    } finally {
      await pool.end();
      await journey.close();
    }
  });

  test('two transactions that take two types in opposite order → both commit, neither waits', async () => {
    const journey = await openJourney();
    const [a, b] = [await journey.pool.connect(), await journey.pool.connect()];
    try {
      const { to } = anEmail();
      const send = (tx: pg.PoolClient | undefined, type: string) =>
        journey.postrider.send(limited(type, { to }), { tx });
      await a.query('begin');
      await b.query('begin');
      await send(a, 'verification');
      await send(b, 'password_reset');
      await send(a, 'password_reset');
      await send(b, 'verification');
      await a.query('commit');
      await b.query('commit');
      expect((await send(undefined, 'verification')).rateLimit?.remaining).toBe(0);
    } finally {
      a.release();
      b.release();
      await journey.close();
    }
  });

  test('committed between look and lock → the next slot is taken, never one too many', async () => {
    const journey = await openJourney();
    try {
      await journey.postrider.rateLimits.set({ type: 'busy', limit: 100, windowSeconds: 86_400 });
      const email = limited('busy');
      const results = await Promise.allSettled(
        Array.from({ length: 300 }, () => journey.postrider.send(email)),
      );
      const taken = accepted(results);
      expect(taken).toBeLessThanOrEqual(100);
      const { rows } = await journey.pool.query(
        "select count(*)::int as n, max(slot) as top from postrider.rate_limit_slots where type = 'busy'",
      );
      expect(rows[0].n).toBe(taken);
      expect(rows[0].top).toBeLessThanOrEqual(100);
      expect(taken).toBe(100);
    } finally {
      await journey.close();
    }
  });

  test('EMAIL_RATE_LIMIT_ENABLED=false → nothing is limited', async () => {
    const journey = await openJourney({ config: { limits: { enabled: false } } });
    try {
      const email = limited('welcome');
      for (let n = 0; n < 3; n++) expect(await journey.postrider.send(email)).not.toHaveProperty('rateLimit');
    } finally {
      await journey.close();
    }
  });

  test('a limit set by another process → holds here within a second', async () => {
    const journey = await openJourney();
    try {
      await journey.postrider.send(limited('elsewhere'));
      await journey.pool.query(
        "insert into postrider.rate_limits (type, max_emails, window_seconds) values ('elsewhere', 1, 86400)",
      );
      await journey.pool.query('update postrider.policy_revision set revision = revision + 1');
      await waitFor(async () => (await journey.postrider.send(limited('elsewhere'))).rateLimit?.limit === 1, {
        ...{ timeoutMs: 2000, what: 'the limit to be known' },
      });
    } finally {
      await journey.close();
    }
  });
});

describe('welcome and deletion_scheduled, once per user', () => {
  test('two users of one address → both; the same user at another address → RATE_LIMITED, until it is reset', async () => {
    const journey = await openJourney();
    const { postrider } = journey;
    try {
      const { to } = anEmail();
      const send = (type: string, parts: Partial<EmailInput>) => postrider.send(limited(type, parts));
      for (const type of ['welcome', 'deletion_scheduled']) {
        await send(type, { to, userId: 'Ann' });
        await send(type, { to, userId: 'ann' }); // ids are told apart by case
        await expect(send(type, { userId: 'Ann' })).rejects.toMatchObject({
          code: 'RATE_LIMITED',
          field: 'userId',
        });
        await send(type, { to });
        await expect(send(type, { to: to.toUpperCase() })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
        expect(await postrider.rateLimits.reset({ type, userId: 'Ann', companyId: 'other' })).toBe(0);
        expect(await postrider.rateLimits.reset({ type, userId: 'Ann' })).toBe(1);
        expect(await postrider.rateLimits.reset({ type, userId: 'Ann' })).toBe(0);
        await send(type, { userId: 'Ann' });
        await expect(send(type, { userId: 'ann' })).rejects.toMatchObject({ code: 'RATE_LIMITED' });
        expect(await postrider.rateLimits.reset({ type, address: to })).toBe(1);
        await send(type, { to });
      }
    } finally {
      await journey.close();
    }
  });

  test.each([{}, { userId: 'a', address: 'ada@example.com' }, { userId: 'a', more: 1 }])(
    'reset of %j → INVALID_PAYLOAD',
    async (whose) => {
      const journey = await openJourney();
      try {
        await expect(journey.postrider.rateLimits.reset({ type: 'welcome', ...whose })).rejects.toMatchObject(
          { code: 'INVALID_PAYLOAD' },
        );
      } finally {
        await journey.close();
      }
    },
  );

  test('lifted by POSTRIDER_UNLIMITED_TYPES → a second welcome inside a sign-up goes out', async () => {
    const journey = await openJourney({ config: { limits: { unlimited: ['welcome'] } } });
    const client = await journey.pool.connect();
    try {
      const email = limited('welcome', { userId: 'ada' });
      await client.query('begin');
      await journey.postrider.send(email, { tx: client });
      await journey.postrider.send(email, { tx: client });
      await client.query('commit');
      const listed = await journey.postrider.rateLimits.list();
      expect(listed.map(({ type }) => type)).not.toContain('welcome');
      expect(listed.map(({ type }) => type)).toContain('deletion_scheduled');
    } finally {
      client.release();
      await journey.close();
    }
  });
});
