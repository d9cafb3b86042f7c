import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forgetOldTallies, prune, tallyEnds } from '../../src/outbox/index.js';
import { countAudience, readAudiencePage } from '../../src/recipients/audience.js';
import { listContacts } from '../../src/recipients/contacts/read-contacts.js';
import { findLanguages, findUnknownRecipients } from '../../src/recipients/find-recipients.js';
import { groupDeadLetters, readEmailStats } from '../../src/views/index.js';
import { describeWith } from '../services/index.js';
import { explained } from './ground/explained.js';
import { type Journey, openJourney } from './ground/open-journey.js';

/** What a statement reads on tables that have grown and that nobody has analysed. No worker runs. */
describeWith('postgres')('cost that does not grow', () => {
  let journey: Journey;
  let client: pg.PoolClient;
  beforeAll(async () => {
    journey = await openJourney();
    client = await journey.pool.connect();
    const { rows } = await client.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class
       where relnamespace = 'postrider'::regnamespace and relkind = 'r'`,
    );
    for (const { name } of rows) await client.query(`alter table ${name} set (autovacuum_enabled = false)`);
  });
  afterAll(async () => {
    client?.release(true);
    await journey?.close();
  });

  test('one person named by the application’s id among 20,000 → found by index, deleted or not', async () => {
    await client.query(
      `insert into postrider.recipients (id, tenant, external_id, email, deleted_at)
       select postrider.new_id(), 't', 'user-' || n, 'user-' || n || '@example.com', case when n % 10 = 0 then now() end
       from generate_series(1, 20000) n`,
    );
    const ref = { recipientId: null, externalId: 'user-777', tenant: 't', email: 'user-777@example.com' };
    const seen = await explained(client, async (database) => {
      expect(await findUnknownRecipients(database, [ref])).toEqual([]);
      expect(await findUnknownRecipients(database, [{ ...ref, externalId: 'user-10' }])).toHaveLength(1);
      await findLanguages(database, [ref]);
    });
    expect(seen).toHaveLength(3);
    for (const { pages } of seen) expect(pages).toBeLessThan(30);
  });

  /** Emails of a moment in the past, each sent at its first attempt within ten hours. */
  async function fillPast(daysAgo: number, count: number): Promise<void> {
    await client.query(
      `with made as (
         insert into postrider.emails (id, tenant, to_address, subject, message, priority, retry, max_attempts, route, request_id)
         select (lpad(to_hex((extract(epoch from now() - $1::int * interval '1 day') * 1000)::bigint + n), 12, '0')
           || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, 't', 'a@example.net', 's', '{}', 3, 'gateway', 1, 'default', 'r'
         from generate_series(1, $2::int) n returning id
       ), bodies as (
         insert into postrider.email_bodies (email_id, html, text) select id, 'h', 't' from made
       )
       insert into postrider.email_attempts (email_id, attempt, token, status, final, events, offsets_ms, started_at,
         duration_ms, route, worker, settled_at)
       select id, 1, 1, 'sent', true, '{SENT}', '{0}', now() - $1::int * interval '1 day', 1, 'default', 1,
         now() - $1::int * interval '1 day' + row_number() over () * interval '10 hours' / $2::int from made`,
      [daysAgo, count],
    );
  }

  test('20,000 emails of a week that cannot be dropped → retention looks at each of them once, a thousand a step', async () => {
    await fillPast(60, 20_000);
    const seen = await explained(client, (database) => prune(database, { contentDays: 30, logDays: 40 }));
    for (const { rows, text } of seen) expect(rows, text).toBeLessThan(15_000);
    expect(seen.filter(({ text }) => text.includes('delete from postrider.emails '))).toHaveLength(20);
  });

  test('20,000 ends that were never counted → counted in stretches, each of them small', async () => {
    let sum: unknown;
    const seen = await explained(client, async (database) => {
      await tallyEnds(database, { behindMs: 0 });
      const { rows } = await database.query('select sum(count)::int as sum from postrider.email_tallies');
      sum = rows[0];
    });
    expect(sum).toEqual({ sum: 20_000 });
    const counts = seen.filter(({ text }) => text.includes('insert into postrider.email_tallies'));
    expect(counts.length).toBeGreaterThan(30);
    for (const { rows, text } of seen) expect(rows, text).toBeLessThan(10_000);
  });

  test('nobody lives elsewhere among 20,000 people → known without reading them', async () => {
    await client.query(
      `update postrider.recipients set time_zone = case when random() < 0.5 then 'Asia/Seoul' else 'Europe/Rome' end`,
    );
    const day = new Date('2030-01-01T00:00:00Z');
    const moment = {
      ...{ slot: day, weekday: 1, dayStart: day, dayBeforeStart: day, weekStart: day },
      zone: { allBut: ['Asia/Seoul', 'Europe/Rome'] },
    };
    const request = { moment, cursor: null, limit: 100, activitySince: null };
    const seen = await explained(client, async (database) => {
      expect(await readAudiencePage(database, {}, request)).toEqual([]);
      expect(await countAudience(database, {}, moment)).toBe(0);
      const known = { ...moment, zone: { allBut: ['Asia/Seoul'] } };
      expect(await readAudiencePage(database, {}, { ...request, moment: known })).toHaveLength(100);
    });
    for (const { rows, text } of seen.slice(0, 2)) expect(rows, text).toBeLessThan(500);
  });

  test('statistics of a recipient with 500 of 20,000 emails → those are looked up, not the log', async () => {
    await client.query(
      `update postrider.emails set to_address = 'Heavy@example.net'
       where id in (select id from postrider.emails order by id desc limit 500)`,
    );
    const seen = await explained(client, async (database) => {
      const stats = await readEmailStats(database, { recipients: ['heavy@example.net'] });
      expect(stats).toMatchObject({ totalSent: 500, totalFailed: 0, byType: { '(none)': { sent: 500 } } });
    });
    for (const { rows, text } of seen) expect(rows, text).toBeLessThan(5000);
  });

  test('contacts of a segment of twenty among 20,000 people → its members are read, forwards and backwards', async () => {
    const { rows } = await client.query<{ id: string }>(
      `with s as (insert into postrider.segments (tenant, name) values ('t', 'Twenty') returning id),
       m as (insert into postrider.segment_members (segment_id, recipient_id)
         select s.id, r.id from s, (select id from postrider.recipients where deleted_at is null order by id desc limit 20) r)
       select id from s`,
    );
    const segmentId = rows[0]!.id;
    const keeper = { tenant: 't', hashKey: 'key' } as unknown as Parameters<typeof listContacts>[1];
    const seen = await explained(client, async (database) => {
      const list = (page: { after: string | null; before: string | null }) =>
        listContacts(database, keeper, { limit: 15, segmentId, ...page });
      const first = await list({ after: null, before: null });
      expect([first.contacts.length, first.more]).toEqual([15, true]);
      const second = await list({ after: first.contacts.at(-1)!.id, before: null });
      expect([second.contacts.length, second.more]).toEqual([5, false]);
      expect((await list({ after: null, before: second.contacts[0]!.id })).contacts).toEqual(first.contacts);
    });
    for (const { rows: read, text } of seen) expect(read, text).toBeLessThan(500);
  });

  test('2,000 dead letters beside 20,000 facts about sent emails → grouped without reading those', async () => {
    await client.query(
      `insert into postrider.email_facts (email_id, type) select email_id, 'DELIVERED' from postrider.email_attempts`,
    );
    await client.query(
      `update postrider.email_attempts set status = 'failed', error_code = 'E' || attempt
       where email_id in (select email_id from postrider.email_attempts order by email_id limit 2000)`,
    );
    const seen = await explained(client, async (database) => {
      expect(await groupDeadLetters(database, {})).toMatchObject([{ errorCode: 'E1', count: 2000 }]);
      expect(await groupDeadLetters(database, { errorCode: 'absent' })).toEqual([]);
    });
    expect(seen).toHaveLength(2);
    for (const { rows, plan } of seen) expect(rows, plan).toBeLessThan(20_000);
  });

  test('40,000 tallies and sums of which none is old → retention does not read them', async () => {
    await client.query(
      `insert into postrider.email_tallies (bucket, tenant, type, provider, status, count)
       select now() - n % 80 * interval '1 day', 't' || n, '', '', 'sent', 1 from generate_series(1, 20000) n`,
    );
    const seen = await explained(client, (database) => forgetOldTallies(database, 90));
    expect(seen).toHaveLength(2);
    for (const { rows, pages, text } of seen) {
      expect(rows, text).toBe(0);
      expect(pages, text).toBeLessThan(50);
    }
  });
});
