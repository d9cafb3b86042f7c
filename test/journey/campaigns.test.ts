import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPostrider, defineSchedule, type Postrider, type Schedule } from '../../src/index.js';
import { createLogger } from '../../src/kernel/index.js';
import { createTestDatabase, type TestDatabase, waitFor } from '../services/index.js';
import { scriptedProvider } from './ground/scripted-provider.js';

/** Whole campaigns on PostgreSQL: who gets what, who does not and why. */
describe('campaigns on PostgreSQL', () => {
  let store: TestDatabase;
  let postrider: Postrider;
  const own: Schedule[] = [];

  beforeAll(async () => {
    store = await createTestDatabase();
    postrider = open();
    await postrider.ready();
    await postrider.schedules.start();
  });
  beforeEach(() =>
    query('truncate postrider.recipients, postrider.schedule_marks, postrider.schedule_runs cascade'),
  );
  afterAll(async () => {
    await postrider.stop({ deadlineMs: 2000 });
    await store.drop();
  });

  function open(parts: Partial<Parameters<typeof createPostrider>[0]> = {}): Postrider {
    return createPostrider({
      database: store.url,
      provider: scriptedProvider(),
      from: { address: 'noreply@example.com' },
      logger: createLogger({ level: 'silent' }),
      schedules: [byHand, streamed, paged, faulty],
      ...parts,
    });
  }

  async function query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await (await postrider.ready()).query<Row>(sql, values)).rows;
  }

  async function run(name: string, on = postrider) {
    const started = await on.schedules.runNow(name);
    const ids = started.map(({ runId }) => runId);
    return waitFor(
      async () => {
        const runs = (await on.schedules.runs(name, { limit: 100 })).filter((r) => ids.includes(r.runId));
        return runs.every((one) => one.state !== 'running') && runs;
      },
      { timeoutMs: 20_000, what: `${name} to end` },
    );
  }

  const sentTo = async (runId: string) =>
    (
      await query<{ to: string }>(
        'select to_address as "to" from postrider.emails where request_id = $1 order by to_address',
        [runId],
      )
    ).map((row) => row.to);

  const DAY = '24 hours';
  /** Times are said as SQL, relative to now; the zone has the middle of the day now, so that a day is not ending. */
  async function person(name: string, parts: Record<string, unknown> = {}): Promise<void> {
    const zone = await noonZone();
    const row = {
      tenant: 'acme',
      email: `${name}@example.com`,
      name,
      time_zone: zone,
      account_type: 'trial',
      preferences: { weeklyFocus: true, reminders: true, streakWarnings: true, reEngagement: true },
      ...parts,
    } as Record<string, unknown>;
    const ago = (value: unknown) => (value === undefined ? null : `${String(value)}`);
    await query(
      `insert into postrider.recipients (tenant, email, name, language, time_zone, status, account_type, preferences,
         streak_days, reminder_frequency, last_check_in_at, last_active_at, last_reminder_sent_at, created_at, deleted_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8::text::jsonb, $9, $10, now() - $11::interval, now() - $12::interval,
         now() - $13::interval, now() - $14::interval, now() - $15::interval)`,
      [
        ...[row.tenant, row.email, row.name, row.language ?? null, row.time_zone, row.status ?? 'active'],
        ...[row.account_type, JSON.stringify(row.preferences), row.streak_days ?? 0, row.frequency ?? null],
        ...[
          ago(row.checkedIn),
          ago(row.active),
          ago(row.reminded),
          ago(row.created ?? '60 days'),
          ago(row.deleted),
        ],
      ],
    );
  }

  async function noonZone(): Promise<string> {
    const [row] = await query<{ hour: number }>(
      "select extract(hour from now() at time zone 'UTC')::int as hour",
    );
    const offset = 12 - row!.hour;
    return offset === 0 ? 'Etc/GMT' : `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
  }

  const byHand = defineSchedule({
    name: 'announcement',
    cron: null,
    timeZone: 'UTC',
    campaign: {
      audience: { companyId: 'acme', status: 'active' },
      email: (one) => ({ subject: `News for ${one.name}`, text: 'There is news.', type: 'announcement' }),
    },
  });

  const people = Array.from({ length: 1203 }, (_, n) => `p${String(n).padStart(5, '0')}`);
  const streamed = defineSchedule({
    name: 'streamed',
    cron: null,
    campaign: {
      async *audience({ cursor }) {
        for (const id of people.filter((one) => cursor === null || one > cursor))
          yield { person: id, cursor: id };
        yield { person: 'p00000', cursor: 'z' }; // once more: counted, not written to
      },
      key: (id: string) => id,
      email: (id) => ({ to: `${id}@example.com`, subject: 'Hello', text: 'Hello', companyId: 'acme' }),
    },
  });
  const paged = defineSchedule({
    name: 'paged',
    cron: null,
    campaign: {
      async audience({ cursor, limit }) {
        const from = Number(cursor ?? 0);
        const next = from + limit;
        return { people: people.slice(from, next), cursor: next < people.length ? String(next) : null };
      },
      key: (id: string) => id,
      email: (id) => ({ to: `${id}@example.com`, subject: 'Hello', text: 'Hello' }),
    },
  });
  const faulty = defineSchedule({
    name: 'faulty',
    cron: null,
    timeZone: 'UTC',
    campaign: {
      audience: {},
      email(one) {
        if (one.name === 'throws') throw new Error('no content for you');
        if (one.name === 'skips') return 'too_quiet';
        if (one.name === 'nothing') return null;
        if (one.name === 'renders') return { type: 'streak_warning', data: { streakDays: -1 } };
        return { type: 'streak_warning', data: { streakDays: 3 } };
      },
    },
  });
  own.push(byHand, streamed, paged, faulty);

  test('a query over recipients → those who are meant, of that company, each once, at low priority, in their language', async () => {
    await person('ada', { language: 'de' });
    await person('bob', { time_zone: null });
    await person('eve', { tenant: 'other' });
    await person('gone', { deleted: DAY });
    await person('off', { status: 'inactive' });
    const [one] = await run('announcement');
    expect(one).toMatchObject({ state: 'done', queued: 2, lookedAt: 2, total: 2, skipped: {}, errors: [] });
    expect(await sentTo(one!.runId)).toEqual(['ada@example.com', 'bob@example.com']);
    const rows = await query(
      'select tenant, priority, lang, recipient_id is not null as known from postrider.emails where request_id = $1 order by to_address',
      [one!.runId],
    );
    expect(rows).toEqual([
      { tenant: 'acme', priority: 4, lang: 'de', known: true },
      { tenant: 'acme', priority: 4, lang: null, known: true },
    ]);
  });

  test.each(['streamed', 'paged'])(
    'an audience of the application, %s → everyone once, whoever comes twice is skipped',
    async (name) => {
      const [one] = await run(name);
      expect(one).toMatchObject({ state: 'done', queued: 1203, total: null });
      expect(one!.skipped).toEqual(name === 'streamed' ? { already_sent: 1 } : {});
      expect(new Set(await sentTo(one!.runId)).size).toBe(1203);
      const keys = await query<{ recipient: string }>(
        'select recipient from postrider.schedule_marks limit 1',
      );
      expect(keys[0]!.recipient).toMatch(/^[0-9a-f]{64}$/);
    },
  );

  test('emails that cannot be made → errors with their people, the others go', async () => {
    for (const name of ['throws', 'skips', 'nothing', 'renders', 'fine']) await person(name);
    const [one] = await run('faulty');
    expect(one).toMatchObject({
      state: 'done',
      queued: 1,
      errorCount: 2,
      skipped: { too_quiet: 1, nothing_to_send: 1 },
    });
    const ids = Object.fromEntries(
      (await query<{ name: string; id: string }>('select name, id from postrider.recipients')).map((r) => [
        r.name,
        r.id,
      ]),
    );
    expect(Object.fromEntries(one!.errors.map((error) => [error.recipientId, error.code]))).toEqual({
      [ids.throws!]: 'INTERNAL',
      [ids.renders!]: 'INVALID_PAYLOAD',
    });
    expect(await sentTo(one!.runId)).toEqual(['fine@example.com']);
  });

  test('check-in reminder → only who is active, asked for it, has not checked in and was not reminded today', async () => {
    await person('due', { checkedIn: DAY, streak_days: 4 });
    await person('never-came');
    await person('optout', { preferences: { reminders: false } });
    await person('unasked', { preferences: {} });
    await person('checked-in', { checkedIn: '1 minute' });
    await person('reminded', { reminded: '2 hours' });
    await person('yesterday', { reminded: DAY });
    await person('weekly', { reminded: '6 days', frequency: 'weekly' });
    await person('weekly-due', { reminded: '7 days', frequency: 'weekly' });
    await person('off', { frequency: 'never' });
    await person('dormant', { status: 'inactive' });
    const [one] = await run('checkin_reminder');
    expect(await sentTo(one!.runId)).toEqual([
      'due@example.com',
      'never-came@example.com',
      'weekly-due@example.com',
      'yesterday@example.com',
    ]);
    expect(one!.skipped).toEqual({ opted_out: 2, checked_in: 1, reminded: 2, reminders_off: 1 });
    const [body] = await query<{ text: string }>(
      "select b.text from postrider.emails e join postrider.email_bodies b on b.email_id = e.id where e.to_address = 'due@example.com'",
    );
    expect(body!.text).toContain('4 days in a row');
    const [marked] = await query<{ at: Date }>(
      "select last_reminder_sent_at as at from postrider.recipients where name = 'due'",
    );
    expect(marked!.at).toEqual(one!.slot);
    const [again] = await run('checkin_reminder');
    expect(again).toMatchObject({ queued: 0 });
    expect(again!.skipped).toMatchObject({ reminded: 6 });
  });

  test('streak warning → only who has three days or more up to yesterday and has not come today', async () => {
    await person('at-risk', { streak_days: 3, checkedIn: DAY });
    await person('short', { streak_days: 2, checkedIn: DAY });
    await person('broken', { streak_days: 9, checkedIn: '3 days' });
    await person('safe', { streak_days: 9, checkedIn: '1 minute' });
    await person('optout', { streak_days: 9, checkedIn: DAY, preferences: {} });
    const [one] = await run('streak_warning');
    expect(await sentTo(one!.runId)).toEqual(['at-risk@example.com']);
    expect(one!.skipped).toEqual({ no_streak: 2, checked_in: 1, opted_out: 1 });
  });

  test('inactivity → who was away seven days; not again within fourteen', async () => {
    await person('away', { active: '7 days' });
    await person('imported', { active: '45 days', created: '1 hour' });
    await person('here', { active: '6 days 23 hours' });
    await person('new', { created: '2 days' });
    const [one] = await run('inactivity');
    expect(await sentTo(one!.runId)).toEqual(['away@example.com', 'imported@example.com']);
    const [body] = await query<{ text: string }>(
      `select b.text from postrider.email_bodies b join postrider.emails e on e.id = b.email_id
       where e.to_address = 'imported@example.com'`,
    );
    expect(body!.text).toContain('45 days ago');
    const mark = (days: number) =>
      query("update postrider.schedule_marks set slot = $1::timestamptz - $2 * interval '1 day'", [
        one!.slot,
        days,
      ]);
    await mark(13);
    expect((await run('inactivity'))[0]).toMatchObject({
      queued: 0,
      skipped: { sent_recently: 2, active: 2 },
    });
    await mark(14);
    // The type's own limit of one in fourteen days is full: the schedule's rule is the one that counts.
    expect((await run('inactivity'))[0]).toMatchObject({ queued: 2, skipped: { active: 2 } });
  });

  test('someone who unsubscribed, and someone whose address bounced → skipped as suppressed, without a row in the log', async () => {
    for (const name of ['stays', 'left', 'bounced']) await person(name, { active: '9 days' });
    await postrider.suppressions.add(
      [
        { email: 'left@example.com', reason: 'unsubscribe', category: 'reEngagement' },
        { email: 'bounced@example.com', reason: 'bounce' },
      ],
      { companyId: 'acme' },
    );
    const [one] = await run('inactivity');
    expect(one).toMatchObject({ queued: 1, skipped: { suppressed: 2 }, errors: [] });
    expect(await sentTo(one!.runId)).toEqual(['stays@example.com']);
  });

  test('weekly focus → trial accounts that asked for it; different activity gives different content', async () => {
    await person('fresh');
    await person('steady', { streak_days: 12, checkedIn: DAY, language: 'de' });
    await person('paying', { account_type: 'paid' });
    await person('optout', { preferences: { weeklyFocus: false } });
    const [one] = await run('weekly_focus');
    expect(one).toMatchObject({ queued: 2, skipped: { opted_out: 1 } });
    const rows = await query<{ subject: string }>(
      'select subject from postrider.emails where request_id = $1 order by to_address',
      [one!.runId],
    );
    expect(rows.map((row) => row.subject)).toEqual([
      expect.stringContaining('A first step'),
      expect.stringContaining('Behalten, was gelingt'),
    ]);
  });

  test('paused in the middle → it stands still; resumed → it goes on to the end', async () => {
    await postrider.schedules.pause('announcement');
    await person('ada');
    await expect(postrider.schedules.runNow('announcement')).rejects.toMatchObject({
      code: 'SCHEDULE_PAUSED',
    });
    await query(
      "insert into postrider.schedule_runs (id, schedule, zone, slot) values (gen_random_uuid(), 'announcement', 'UTC', now())",
    );
    const before = performance.now();
    await waitFor(() => performance.now() - before > 1500, { timeoutMs: 3000, what: 'several looks' });
    expect((await postrider.schedules.runs('announcement'))[0]).toMatchObject({
      state: 'running',
      queued: 0,
    });
    await postrider.schedules.resume('announcement');
    await waitFor(async () => (await postrider.schedules.runs('announcement'))[0]?.state === 'done', {
      timeoutMs: 5000,
      what: 'the end',
    });
  });

  test('an audience that fails → the run waits and tries again, and says why', async () => {
    let broken = true;
    const flaky = defineSchedule({
      name: 'flaky',
      cron: null,
      campaign: {
        async audience() {
          if (broken) throw new Error('the customer database is away');
          return { people: ['a@example.com'], cursor: null };
        },
        key: (to: string) => to,
        email: (to) => ({ to, subject: 'Hello', text: 'Hello' }),
      },
    });
    const other = open({ schedules: [flaky] });
    await other.schedules.start();
    const [started] = await other.schedules.runNow('flaky');
    const seen = () => other.schedules.runs('flaky').then(([one]) => one);
    await waitFor(async () => (await seen())?.lastError === 'the customer database is away', {
      timeoutMs: 5000,
      what: 'the reason',
    });
    broken = false;
    await waitFor(async () => (await seen())?.state === 'done', { timeoutMs: 20_000, what: 'the end' });
    expect(await seen()).toMatchObject({ runId: started!.runId, queued: 1, lastError: null });
    await other.stop({ deadlineMs: 1000 });
  });

  test('looked at by a process with other settings → what those that fire go by stays', async () => {
    const other = open({ config: { schedules: { reminderHour: 3, timeZone: 'Asia/Tokyo' } } });
    await other.schedules.list();
    const [row] = await query("select cron from postrider.schedules where name = 'checkin_reminder'");
    expect(row).toEqual({ cron: '0 18 * * *' });
    await other.stop({ deadlineMs: 1000 });
  });

  test('list → every schedule with its last run and its next; an unknown name → SCHEDULE_NOT_FOUND', async () => {
    await person('ada');
    await run('announcement');
    const list = await postrider.schedules.list();
    expect(list.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['announcement', 'inactivity', 'weekly_focus']),
    );
    expect(list.find(({ name }) => name === 'announcement')).toMatchObject({
      next: null,
      last: { queued: 1 },
    });
    const focus = list.find(({ name }) => name === 'weekly_focus')!;
    expect(focus).toMatchObject({ cron: '0 9 * * 1', timeZone: 'recipient', catchUp: 'last', paused: false });
    expect(focus.next!.getTime()).toBeGreaterThan(Date.now());
    await expect(postrider.schedules.pause('nobody')).rejects.toMatchObject({ code: 'SCHEDULE_NOT_FOUND' });
  });
});
