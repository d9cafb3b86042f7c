import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimOwedEvents, removeOwedEvents } from '../../src/events/bus/bus-rows.js';
import { claimDeliveries } from '../../src/events/claim-deliveries.js';
import { settleDeliveries } from '../../src/events/settle-deliveries.js';
import {
  claimSuspectsAndLook,
  forgetOldTallies,
  isAnyReady,
  prune,
  tallyEnds,
} from '../../src/outbox/index.js';
import { createQuotas } from '../../src/policy/quotas.js';
import { forgetOldSlots } from '../../src/policy/rate-limits.js';
import { giveBackSlots, type SlotWindow, takeRateSlots } from '../../src/policy/take-rate-slots.js';
import { countAudience, readAudiencePage } from '../../src/recipients/audience.js';
import { listContacts } from '../../src/recipients/contacts/read-contacts.js';
import { findLanguages, findUnknownRecipients } from '../../src/recipients/find-recipients.js';
import { findMarks, setMarks } from '../../src/schedules/runs/marks.js';
import {
  countQueue,
  type FlowRead,
  groupDeadLetters,
  listUserEmails,
  type Overview,
  type QueueCounts,
  type QueueGroup,
  readEmailStats,
  readFlow,
  readOverview,
} from '../../src/views/index.js';
import { describeWith } from '../services/index.js';
import { explained, keptPlans } from './ground/explained.js';
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

  test('tables vacuumed while empty → statements that keep their plans do not read the whole table', async () => {
    const tables = ['schedule_marks', 'webhook_deliveries', 'bus_events', 'rate_limit_slots'];
    await client.query(`vacuum ${tables.map((name) => `postrider.${name}`).join(', ')}`);
    const seen = await keptPlans(client, async (database) => {
      await findMarks(database, 'weekly', ['a', 'b']);
      await setMarks(database, 'weekly', ['a', 'b'], new Date());
      const places = { free: 10, taken: new Map() };
      await claimDeliveries(database, { places, perEndpoint: 5, leaseMs: 1000 });
      await claimOwedEvents(database, { limit: 10, leaseMs: 1000 });
      await removeOwedEvents(database, ['00000000-0000-7000-8000-000000000000']);
      const request = {
        ...{ tenant: 't', type: 'x', recipient: 'ab', wanted: 1 },
        limit: { limit: 3, windowSeconds: 60 },
      };
      const taken = await takeRateSlots(database, [request]);
      if (taken.taken) await giveBackSlots(database, taken.windows as SlotWindow[]);
      await forgetOldSlots(database);
    });
    expect(seen.map(({ plan }) => plan).join('\n')).not.toMatch(
      new RegExp(`Seq Scan on (?:${tables.join('|')})`),
    );
    expect(seen).toHaveLength(8);
  });

  test('20,000 marks in a table that was vacuumed while empty → a page finds its hundred, and no more', async () => {
    await client.query(
      `insert into postrider.schedule_marks (schedule, recipient, slot)
       select 'weekly', 'r' || n, now() from generate_series(1, 20000) n`,
    );
    const page = Array.from({ length: 100 }, (_, n) => `r${n * 150 + 1}`);
    const seen = await explained(client, async (database) => {
      expect((await findMarks(database, 'weekly', page)).size).toBe(100);
    });
    for (const { rows, text } of seen) expect(rows, text).toBeLessThan(1000);
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

  test('a user with all 20,000 emails → the latest ten thousand are looked at and counted', async () => {
    await client.query("update postrider.emails set user_id = 'busy'");
    const seen = await explained(client, async (database) => {
      const user = { tenant: 't', userId: 'busy' };
      const page = await listUserEmails(database, user, { page: 1, limit: 5 });
      expect(page).toMatchObject({ total: 10_000, more: true, pages: 2000 });
      expect(page.emails).toHaveLength(5);
      expect(
        await listUserEmails(database, { ...user, userId: 'nobody' }, { page: 1, limit: 5 }),
      ).toMatchObject({
        ...{ total: 0, more: false },
      });
    });
    // Some twenty steps for each of ten thousand, and the user's own entries of one index.
    for (const { rows, plan } of seen) expect(rows, plan).toBeLessThan(300_000);
  });

  test('500 companies with quotas → a page reads a hundred of them', async () => {
    await client.query(
      `insert into postrider.quotas (tenant, period, max_emails)
       select 'c' || n, 'day', 100 from generate_series(1, 500) n`,
    );
    await client.query(
      `insert into postrider.quota_shares (tenant, period, share, period_start, used)
       select 'c' || n, 'day', s, date_trunc('day', now(), 'UTC'), 1 from generate_series(1, 500) n, generate_series(0, 127) s`,
    );
    const seen = await explained(client, async (database) => {
      const quotas = createQuotas({ database: async () => ({ prompt: () => database }) } as never);
      const page = await quotas.list();
      expect(page.quotas).toHaveLength(100);
      expect(page.quotas[0]).toMatchObject({ companyId: 'c1', used: 128, remaining: 0 });
    });
    for (const { rows, plan } of seen) expect(rows, plan).toBeLessThan(30_000);
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
       select now() - n % 30 * interval '1 day', 't' || n, '', '', 'sent', 1 from generate_series(1, 20000) n`,
    );
    const seen = await explained(client, (database) => forgetOldTallies(database, 90));
    expect(seen).toHaveLength(2);
    for (const { rows, pages, text } of seen) {
      expect(rows, text).toBe(0);
      expect(pages, text).toBeLessThan(50);
    }
  });

  test('a queue of 60,000 emails → its pages are not all read, and a few of another route are neither lost nor made many', async () => {
    await client.query(
      `insert into postrider.email_queue (id, max_attempts, priority, ready, bell, route, tenant, due_at, scheduled)
       select postrider.new_id(), 3, 1 + n % 3, n % 10 <> 0, false, 'default', 't' || n % 50,
         case when n % 10 = 0 then now() + interval '1 day' end, n % 10 = 0 from generate_series(1, 60000) n`,
    );
    await client.query(
      `insert into postrider.email_queue (id, max_attempts, priority, ready, bell, route, tenant)
       select postrider.new_id(), 3, 3, true, false, 'rare', 't' from generate_series(1, 20)`,
    );
    await client.query(
      `update postrider.email_queue set owner = 1, ready = false
       where id in (select id from postrider.email_queue where ready and route = 'default' limit 40)`,
    );
    const { rows } = await client.query("select pg_relation_size('postrider.email_queue') / 8192 as pages");
    let counts: QueueCounts | undefined;
    const seen = await explained(client, async (database) => {
      counts = await countQueue(database);
    });
    expect(counts!.estimated).toBe(true);
    const sum = (of: (group: QueueGroup) => boolean) =>
      counts!.groups.filter(of).reduce((all, { count }) => all + count, 0);
    expect(sum(({ route }) => route === 'rare')).toBe(20);
    expect(sum(({ state }) => state === 'processing')).toBe(40);
    const scheduled = sum(({ status }) => status === 'scheduled');
    expect(scheduled).toBeGreaterThan(2000);
    expect(scheduled).toBeLessThan(18_000);
    const all = sum(() => true);
    expect(all).toBeGreaterThan(30_000);
    expect(all).toBeLessThan(120_000);
    const sampled = seen.find(({ text }) => text.includes('tablesample'))!;
    expect(sampled.pages).toBeLessThan(rows[0].pages / 2);
    for (const { rows: read, plan, text } of seen) {
      if (text.includes('tablesample')) continue;
      expect(read, plan).toBeLessThan(40_000);
      expect(plan).not.toContain('Seq Scan');
    }
  });

  test('60,000 ready emails of one route → whether any is left, and suspects, are looked for without reading them', async () => {
    const seen = await explained(client, async (database) => {
      expect(await isAnyReady(database, ['default', 'nowhere'])).toBe(true);
      expect(await isAnyReady(database, ['nowhere'])).toBe(false);
      const options = { route: 'default', worker: 1, limit: 10, beside: 0 };
      expect(await claimSuspectsAndLook(database, options)).toEqual({ suspects: [], ready: true });
      expect(await claimSuspectsAndLook(database, { ...options, route: 'nowhere' })).toEqual({
        ...{ suspects: [], ready: false },
      });
    });
    for (const { pages, plan } of seen) expect(pages, plan).toBeLessThan(30);
  });

  test('20,000 emails of the last day have ended → the overview reads 5,000 of them and then the sums', async () => {
    await fillPast(0, 20_000);
    await client.query(
      `insert into postrider.email_facts (email_id, type, final_status)
       select email_id, 'CANCELLED', 'cancelled' from postrider.email_attempts order by email_id desc limit 10`,
    );
    let overview: Overview | undefined;
    const seen = await explained(client, async (database) => {
      overview = await readOverview(database);
    });
    expect(overview).toMatchObject({ estimated: true, byStatus: { sent: 5001, cancelled: 10 } });
    for (const { rows: read, text } of seen)
      if (!text.includes('tablesample')) expect(read, text).toBeLessThan(45_000);
  });

  test('58,000 emails accepted and sent within a minute → the newest seconds are read, and no more', async () => {
    await client.query(
      `with made as (
         insert into postrider.emails (id, tenant, to_address, subject, message, priority, retry, max_attempts, route,
           request_id, created_at)
         select (lpad(to_hex((extract(epoch from now() - interval '30 seconds') * 1000)::bigint + n), 12, '0')
             || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, 't', 'a@example.net', 's', '{}', 3, 'gateway', 1, 'default',
           'f', now() - interval '30 seconds' + n * interval '1 millisecond'
         from generate_series(1, 58000) n returning id, created_at
       )
       insert into postrider.email_attempts (email_id, attempt, token, status, final, events, offsets_ms, started_at,
         duration_ms, route, worker, settled_at)
       select id, 1, 1, 'sent', true, '{SENT}', '{0}', created_at, 1, 'default', 1, created_at from made`,
    );
    let flow: FlowRead | undefined;
    const seen = await explained(client, async (database) => {
      flow = await readFlow(database, 0);
    });
    expect(flow!.now - flow!.from).toBeLessThanOrEqual(5);
    expect(flow!.seconds.length).toBeGreaterThan(0);
    for (const { plan } of seen.filter(({ text }) => text.includes('email_attempts')))
      expect(plan).not.toContain('Seq Scan');
  });

  test('20,000 deliveries of webhooks that are over beside a few that are due → claimed and settled without reading those', async () => {
    const { rows } = await client.query<{ id: string }>(
      `insert into postrider.webhook_endpoints (tenant, url, events)
       select 't', 'https://example.com/' || n, '{email.sent}' from generate_series(1, 10) n returning id`,
    );
    const insert = (count: number, due: boolean) =>
      client.query(
        `insert into postrider.webhook_deliveries (endpoint_id, tenant, type, payload, status, due_at)
         select e, 't', 'email.sent', '{}', $3, case when $4 then now() - interval '1 minute' end
         from unnest($1::uuid[]) e, generate_series(1, $2::int)`,
        [rows.map(({ id }) => id), count, due ? 'pending' : 'success', due],
      );
    await insert(2000, false);
    await insert(5, true);
    const answer = { httpStatus: 200, response: '', error: null, retryAfterMs: null, durationMs: 1 };
    const seen = await explained(client, async (database) => {
      const due = await claimDeliveries(database, {
        ...{ places: { free: 200, taken: new Map() }, perEndpoint: 5, leaseMs: 30_000 },
      });
      expect(due).toHaveLength(50);
      const results = due.map((delivery) => ({
        delivery,
        ok: true,
        answer,
        retryInMs: null,
        sentAt: new Date(),
      }));
      expect((await settleDeliveries(database, results, 1000)).size).toBe(50);
    });
    for (const { pages, text, plan } of seen) {
      expect(pages, text).toBeLessThan(3500);
      expect(plan).not.toMatch(/"Seq Scan",(?:(?!"Node Type").)*"Relation Name":"webhook_deliveries"/);
    }
  });
});
