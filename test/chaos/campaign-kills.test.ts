import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, waitFor } from '../services/index.js';
import { type Child, spawnChild } from './ground/spawn-child.js';

/**
 * A campaign whose processes die: at every named place once, then in the middle of it with two at work. Whatever
 * happens, one run per slot, and one email per person.
 */
const PEOPLE = 5000;
const PATIENCE_MS = 240_000;

/** Every named place between a slot that is due and a run that is over. */
const PLACES = [
  'schedules:fired',
  'schedules:taken',
  'schedules:page-made',
  'intake:before-write',
  'intake:written',
  'schedules:page-written',
  'schedules:page-committed',
];

describe('a campaign on PostgreSQL', () => {
  it('processes killed at every place and in the middle, two at work → one run, everyone exactly one email', async () => {
    const store = await createTestDatabase();
    const pool = new pg.Pool({ connectionString: store.url, max: 2 });
    pool.on('error', () => undefined); // dropping the database at the end ends idle sessions
    const children: Child[] = [];
    onTestFinished(async () => {
      for (const child of children) child.kill();
      await Promise.all(children.map((child) => child.gone));
      await pool.end();
      await store.drop();
    });
    const spawn = (killAt?: string) => {
      const child = spawnChild({
        database: store.url,
        smtpPort: 1,
        work: false,
        schedules: true,
        ...(killAt !== undefined && { killAt }),
      });
      children.push(child);
      return child;
    };
    const number = async (sql: string) => Number((await pool.query<{ n: string }>(sql)).rows[0]!.n);
    const queued = () => number('select coalesce(sum(queued), 0) as n from postrider.schedule_runs');
    const open = () => number("select count(*) as n from postrider.schedule_runs where state = 'running'");
    // What a process took for itself is its own for seconds after its death: that is courtesy, and need not be waited for.
    const leave = () =>
      pool.query("update postrider.schedule_runs set resume_at = clock_timestamp() where state = 'running'");

    const first = spawn();
    await first.next('ready');
    await waitFor(async () => (await number('select count(*) as n from postrider.schedules')) >= 4, {
      timeoutMs: PATIENCE_MS,
      what: 'the schedules to be known',
    });
    first.kill();
    await first.gone;
    await makeDue(pool);

    for (const place of PLACES) {
      const child = spawn(place);
      await child.gone;
      expect(child.diedAt()).toBe(place);
      await leave();
    }
    expect(await open()).toBe(1);

    let runners = [spawn(), spawn()];
    // A fast machine may be through before the last of them.
    for (let kill = 0; kill < 4 && (await open()) > 0; kill++) {
      const before = await queued();
      await waitFor(async () => (await queued()) > before || (await open()) === 0, {
        timeoutMs: PATIENCE_MS,
        what: 'another page',
      });
      const victim = runners[kill % 2]!;
      victim.kill();
      await victim.gone;
      await leave();
      runners = runners.map((child) => (child === victim ? spawn() : child));
    }
    await waitFor(async () => (await open()) === 0, { timeoutMs: PATIENCE_MS, what: 'the end of the run' });

    expect(await number('select count(*) as n from postrider.schedule_runs')).toBe(1);
    expect(await queued()).toBe(PEOPLE);
    expect(await number('select count(*) as n from postrider.emails')).toBe(PEOPLE);
    expect(await number('select count(distinct recipient_id) as n from postrider.emails')).toBe(PEOPLE);
    expect(await number('select count(*) as n from postrider.schedule_marks')).toBe(PEOPLE);
    expect(
      await number('select count(*) as n from postrider.recipients where last_reminder_sent_at is not null'),
    ).toBe(PEOPLE);
  });
});

/** People where it is seven in the evening, and a reminder of an hour ago that nobody has fired. */
async function makeDue(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ hour: number }>(
    "select extract(hour from now() at time zone 'UTC')::int as hour",
  );
  const ahead = (19 - rows[0]!.hour + 24) % 24;
  const zone = ahead > 12 ? `Etc/GMT+${24 - ahead}` : `Etc/GMT-${ahead}`;
  await pool.query(
    `insert into postrider.recipients (tenant, email, time_zone, preferences)
     select 'acme', 'p' || n || '@example.com', $2, '{"reminders": true}' from generate_series(1, $1::int) n`,
    [PEOPLE, zone],
  );
  await pool.query(
    "insert into postrider.schedule_zones values ('checkin_reminder', $1, now() - interval '3 hours')",
    [zone],
  );
}
