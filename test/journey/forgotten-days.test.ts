import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Postrider } from '../../src/index.js';
import { forgetOldTallies } from '../../src/outbox/index.js';
import { forgetOldDays } from '../../src/recipients/index.js';
import { forgetOldMarks } from '../../src/schedules/index.js';
import type { Database } from '../../src/store/index.js';
import { readEmailStats } from '../../src/views/index.js';
import { openEmbedded } from './ground/open-embedded.js';
import { openJourney } from './ground/open-journey.js';

/** What campaigns and statistics keep of people and days, and when it goes; on both stores. */
const subjects: Array<[string, () => Promise<{ postrider: Postrider; close(): Promise<void> }>]> = [
  ['PostgreSQL', () => openJourney()],
  ['PGlite', () => openEmbedded()],
];

describe.each(subjects)('retention of people’s days on %s', (_name, open) => {
  let subject: { postrider: Postrider; close(): Promise<void> };
  let store: Database;
  beforeAll(async () => {
    subject = await open();
    store = await subject.postrider.ready();
  });
  afterAll(() => subject.close());

  const numbers = async (sql: string) =>
    (await store.query<{ n: number }>(sql)).rows.map(({ n }) => Number(n));

  test('check-ins past their days go, those of a streak that goes on stay, and it grows by one', async () => {
    const { postrider } = subject;
    const [steady, away] = ['steady@example.com', 'away@example.com'];
    await postrider.recipients.upsert([{ email: steady }, { email: away }]);
    await store.query(
      `insert into postrider.recipient_check_ins (recipient_id, day, checked_in_at)
       select r.id, current_date - n, now() from postrider.recipients r, generate_series(1, 30) n
       where r.email = $1 or n > 10`,
      [steady],
    );
    await store.query(
      `update postrider.recipients set last_check_in_on = current_date - case when email = $1 then 1 else 11 end,
         streak_days = case when email = $1 then 30 else 5 end`,
      [steady],
    );
    await store.query(
      `insert into postrider.recipient_activities (recipient_id, day, kind, last_at)
       select id, current_date - n, 'read', now() from postrider.recipients, generate_series(1, 30) n`,
    );
    expect(await forgetOldDays(store, 20)).toBe(10 + 20);
    expect(await forgetOldDays(store, 20)).toBe(0);
    expect(
      await numbers(
        `select count(*) as n from postrider.recipient_check_ins c
         join postrider.recipients r on r.id = c.recipient_id group by r.email order by r.email`,
      ),
    ).toEqual([10, 30]);
    expect(await postrider.recipients.reportCheckIn({ email: steady })).toMatchObject({ streakDays: 31 });
  });

  test('marks that decide nothing any more go; those of a long pause, an open run and an unknown schedule stay', async () => {
    await store.query(
      `insert into postrider.schedules (name, time_zone, catch_up, not_again_days)
       values ('daily', 'UTC', 'none', 1), ('yearly', 'UTC', 'none', 365), ('open', 'UTC', 'none', 1), ('old', 'UTC', 'none', null)`,
    );
    await store.query(
      `insert into postrider.schedule_runs (id, schedule, zone, slot)
       values (postrider.new_id(), 'open', 'UTC', now() - interval '300 days')`,
    );
    await store.query(
      `insert into postrider.schedule_marks (schedule, recipient, slot)
       select s, 'p' || n, now() - case when n = 1 then interval '10 days' else interval '200 days' end
       from unnest(array['daily', 'yearly', 'open', 'old', 'unlisted']) s, generate_series(1, 3) n`,
    );
    expect(await forgetOldMarks(store)).toBe(2);
    expect(await forgetOldMarks(store)).toBe(0);
    const kept = await store.query<{ n: number }>(
      "select count(*)::int as n from postrider.schedule_marks where schedule = 'daily'",
    );
    expect(kept.rows[0]!.n).toBe(1);
  });

  test('rollups by five minutes end after a month → statistics of older days still add up', async () => {
    await store.query(
      `insert into postrider.email_tallies (bucket, tenant, type, provider, status, count)
       select date_trunc('day', now(), 'UTC') - n * interval '1 day' + interval '12 hours 5 minutes', 't', 'x', 'smtp',
         'sent', 1 from generate_series(0, 60) n`,
    );
    await forgetOldTallies(store, 90);
    const [fine] = await numbers('select count(*) as n from postrider.email_tallies');
    expect(fine).toBeLessThanOrEqual(33);
    const day = (n: number) => new Date(Math.floor(Date.now() / 86_400_000 - n) * 86_400_000);
    expect(await readEmailStats(store, { tenant: 't' })).toMatchObject({ totalSent: 61 });
    // A part of an old day is that day, from whichever side.
    const partly = { tenant: 't', since: new Date(day(50).getTime() + 13 * 3_600_000) };
    expect(await readEmailStats(store, partly)).toMatchObject({ totalSent: 51 });
    const until = new Date(day(45).getTime() + 3_600_000);
    expect(await readEmailStats(store, { ...partly, until })).toMatchObject({ totalSent: 6 });
    // A part of a recent day is that part.
    const recent = { tenant: 't', since: new Date(day(3).getTime() + 13 * 3_600_000) };
    expect(await readEmailStats(store, recent)).toMatchObject({ totalSent: 3 });
  });
});
