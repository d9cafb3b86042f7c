import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/kernel/index.js';
import { type NewEmail, prepareEmails } from '../../src/outbox/index.js';
import { aNewEmail } from '../../src/outbox/new-email.fixture.js';
import type { Database, Queryable } from '../../src/store/index.js';
import { describeWith } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';

/** Many emails are written by COPY, few by a statement with lists. No worker runs. */
describeWith('postgres')('emails written by COPY', () => {
  let journey: Journey;
  let database: Database;
  beforeAll(async () => {
    journey = await openJourney();
    database = await journey.postrider.ready();
  });
  afterAll(() => journey.close());

  const rowsOf = async (ids: readonly string[]) =>
    (
      await journey.pool.query(
        `select row_to_json(e)::jsonb - 'id' - 'created_at' as email, row_to_json(b)::jsonb - 'email_id' as body,
           row_to_json(q)::jsonb - 'id' as queued, facts.all as facts, e.created_at = min(e.created_at) over () as together
         from unnest($1::uuid[]) with ordinality i(id, place)
         join postrider.emails e using (id)
         join postrider.email_bodies b on b.email_id = i.id
         left join postrider.email_queue q on q.id = i.id
         left join lateral (select json_agg(row_to_json(f)::jsonb - 'email_id' - 'at') as all
           from (select email_id, type, final_status, detail from postrider.email_facts) f where f.email_id = i.id) facts on true
         order by place`,
        [ids],
      )
    ).rows;

  async function write(tx: Queryable, emails: readonly NewEmail[]): Promise<string[]> {
    const own = emails.map((email) => ({ ...email, id: newId() }));
    await prepareEmails(tx, own)();
    return own.map(({ id }) => id);
  }

  test('any emails → the same rows as by lists', async () => {
    const { copy: _, ...listing } = database;
    expect(database.copy).toBeTypeOf('function');
    await fc.assert(
      fc.asyncProperty(fc.array(someEmail, { minLength: 16, maxLength: 40 }), async (emails) => {
        const copied = await rowsOf(await write(database, emails));
        expect(copied).toHaveLength(emails.length);
        expect(copied).toEqual(await rowsOf(await write(listing, emails)));
      }),
      { numRuns: 25 },
    );
  });

  test('one for later and one nobody may get among many → as by lists', async () => {
    const { copy: _, ...listing } = database;
    const emails: NewEmail[] = Array.from({ length: 20 }, () => aNewEmail);
    emails[7] = { ...aNewEmail, scheduledAt: new Date('2199-01-01') };
    emails[9] = { ...aNewEmail, suppressed: { reason: 'bounced' } };
    for (const some of [emails, emails.slice(0, 9).concat(emails.slice(10)), emails.slice(8)]) {
      const rows = await rowsOf(await write(database, [...some, ...some]));
      expect(rows).toEqual(await rowsOf(await write(listing, [...some, ...some])));
      expect(rows.filter(({ queued }) => queued && !queued.ready)).toHaveLength(some.length > 15 ? 2 : 0);
      expect(rows.filter(({ queued, facts }) => !queued && facts)).toHaveLength(some.length === 19 ? 0 : 2);
    }
  });

  test('one that cannot be stored, in the last of the tables → none is, and the connection goes on', async () => {
    const twice = newId();
    await journey.pool.query(
      "insert into postrider.email_queue (id, max_attempts, priority, ready, route, tenant) values ($1, 5, 3, false, 'r', 't')",
      [twice],
    );
    const emails = Array.from({ length: 40 }, (_, at) => ({ ...aNewEmail, id: at === 30 ? twice : newId() }));
    const stored = async () =>
      Number((await journey.pool.query('select count(*) from postrider.emails')).rows[0].count);
    const before = await stored();
    for (let times = 0; times < 12; times++) {
      await expect(prepareEmails(database, emails)()).rejects.toMatchObject({ cause: { code: '23505' } });
    }
    await expect(
      database.transaction(async (tx) => {
        await write(tx, emails);
        await prepareEmails(tx, emails)();
      }),
    ).rejects.toMatchObject({ cause: { code: '23505' } });
    expect(await stored()).toBe(before);
    const answers = await journey.postrider.sendBatch(Array.from({ length: 500 }, () => anEmail()));
    expect(await rowsOf(answers.map(({ emailId }) => emailId))).toHaveLength(500);
  });

  test('a batch of 500 → all in one transaction, in order, and one of each statement rings', async () => {
    const answers = await journey.postrider.sendBatch(
      Array.from({ length: 500 }, (_, at) => ({ ...anEmail(), subject: `Number ${at}` })),
    );
    const rows = await rowsOf(answers.map(({ emailId }) => emailId));
    expect(rows.map(({ email }) => email.subject)).toEqual(answers.map((_, at) => `Number ${at}`));
    expect(rows.every(({ together }) => together)).toBe(true);
    const ringing = rows.filter(({ queued }) => queued.bell).length;
    expect(ringing).toBeGreaterThan(0);
    expect(ringing).toBeLessThan(20);
  });

  test('a handle kept past its transaction → refused', async () => {
    const kept = await database.transaction(async (tx) => tx);
    await expect(
      write(
        kept,
        Array.from({ length: 20 }, () => aNewEmail),
      ),
    ).rejects.toMatchObject({
      code: 'TRANSACTION_ENDED',
    });
  });
});

/** What intake lets through: no NUL, no half of a character. */
const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map((value) => value.replaceAll('\0', ''));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const mailbox = fc.record({ address: fc.emailAddress() });

const someEmail: fc.Arbitrary<NewEmail> = fc
  .record({
    ...{
      tenant: text.map((name) => `t${name}`),
      type: maybe(text),
      lang: maybe(fc.constantFrom('de', 'pt-BR')),
    },
    ...{ userId: maybe(text), recipientId: maybe(fc.uuid()), recipientExternalId: maybe(text) },
    ...{
      from: maybe(mailbox),
      to: fc.array(mailbox, { minLength: 1, maxLength: 2 }),
      cc: fc.array(mailbox, { maxLength: 1 }),
    },
    ...{
      subject: text,
      html: fc.oneof(text, fc.constantFrom('ü'.repeat(200_000), 'x'.repeat(500_000))),
      text,
    },
    headers: fc.dictionary(fc.constantFrom('X-One', 'X-Two'), text),
    metadata: fc.dictionary(fc.constantFrom('order', 'note'), fc.oneof(text, fc.integer())),
    attachments: fc.array(
      fc.record({ filename: text, contentType: fc.constant('text/plain'), content: fc.base64String() }),
      { maxLength: 1 },
    ),
    ...{ priority: fc.constantFrom(1 as const, 2 as const, 3 as const, 4 as const), requestId: text },
    expiresAt: maybe(fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true })),
    delivery: fc.constantFrom('at-least-once' as const, 'at-most-once' as const),
    ...{ retry: fc.constantFrom('gateway', 'patient'), maxAttempts: fc.integer({ min: 1, max: 100 }) },
    ...{ sensitive: fc.boolean(), route: text.map((name) => `r${name}`) },
  })
  .map((parts) => ({ ...aNewEmail, ...parts }));
