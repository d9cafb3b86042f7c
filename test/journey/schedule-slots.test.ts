import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDueBroadcasts } from '../../src/schedules/broadcasts/create-broadcasts.js';
import { type CatchUp, defineSchedule, type Schedule } from '../../src/schedules/define-schedule.js';
import { fireSlots } from '../../src/schedules/fire-slots.js';
import { registerSchedules } from '../../src/schedules/register-schedules.js';
import { setPaused } from '../../src/schedules/runs/list-runs.js';
import { type Database, migrate, openDatabase } from '../../src/store/index.js';
import { createTestDatabase, type TestDatabase } from '../services/index.js';

/** Slots on a real database with a clock that is moved by hand. */
describe('slots on PostgreSQL', () => {
  let store: TestDatabase;
  const databases: Database[] = [];
  let clock = 0;
  const now = async () => clock;

  beforeAll(async () => {
    store = await createTestDatabase();
    for (let i = 0; i < 5; i++) databases.push(await openDatabase(store.url, { poolSize: 2 }));
    await migrate(databases[0]!);
  });
  beforeEach(async () => {
    await databases[0]!.query(
      'truncate postrider.schedules, postrider.schedule_zones, postrider.schedule_runs, postrider.recipients cascade',
    );
  });
  afterAll(async () => {
    await Promise.all(databases.map((database) => database.close()));
    await store.drop();
  });

  const at = (text: string) => {
    clock = Date.parse(text);
  };
  const options = (schedules: Schedule[]) => ({ schedules, defaultZone: 'UTC', now });
  const register = (schedule: Schedule) => registerSchedules(databases[0]!, options([schedule]));
  const look = (schedule: Schedule) => fireSlots(databases[0]!, options([schedule]));
  const slots = async (zone?: string) => {
    const { rows } = await databases[0]!.query<{ slot: Date; zone: string }>(
      'select slot, zone from postrider.schedule_runs where $1::text is null or zone = $1 order by slot, zone',
      [zone ?? null],
    );
    return rows.map((row) => row.slot.toISOString().slice(0, 16));
  };
  const daily = (parts: { catchUp?: CatchUp; timeZone?: string; cron?: string; within?: string } = {}) =>
    defineSchedule({
      name: 'daily',
      cron: '0 9 * * *',
      ...parts,
      campaign: { audience: {}, email: () => null },
    });

  test('five processes look at once, again and again → each slot fires once', async () => {
    const schedule = daily({ cron: '*/5 * * * *' });
    at('2026-05-01T08:59:00Z');
    await Promise.all(databases.map((database) => registerSchedules(database, options([schedule]))));
    await look(schedule);
    let fired = 0;
    for (let minute = 0; minute < 30; minute++) {
      clock += 60_000;
      const looks = await Promise.all(databases.map((database) => fireSlots(database, options([schedule]))));
      fired += looks.reduce((sum, { fired: count }) => sum + count, 0);
    }
    const expected = Array.from({ length: 6 }, (_, n) => `2026-05-01T09:${String(n * 5).padStart(2, '0')}`);
    expect(await slots()).toEqual(expected);
    expect(fired).toBe(6);
  });

  test('seen for the first time → nothing from before; it says how long until the next', async () => {
    at('2026-05-01T09:00:30Z');
    await register(daily());
    expect(await look(daily())).toEqual({ fired: 0, nextInMs: 86_370_000 });
  });

  test.each([
    ['none', []],
    ['last', ['2026-05-04T09:00']],
    ['all', ['2026-05-02T09:00', '2026-05-03T09:00', '2026-05-04T09:00']],
  ] as const)('three days of downtime with catchUp %s → %j', async (catchUp, expected) => {
    const schedule = daily({ catchUp });
    at('2026-05-01T12:00:00Z');
    await register(schedule);
    await look(schedule);
    at('2026-05-04T12:00:00Z');
    await look(schedule);
    await look(schedule);
    expect(await slots()).toEqual(expected);
    at('2026-05-05T09:00:01Z');
    await look(schedule);
    expect(await slots()).toEqual([...expected, '2026-05-05T09:00']);
  });

  test('late by more than the schedule allows → left out', async () => {
    const schedule = daily({ within: '2h' });
    at('2026-05-01T12:00:00Z');
    await register(schedule);
    await look(schedule);
    at('2026-05-02T11:00:01Z');
    await look(schedule);
    expect(await slots()).toEqual([]);
    at('2026-05-03T10:59:00Z');
    await look(schedule);
    expect(await slots()).toEqual(['2026-05-03T09:00']);
  });

  test('the clock steps back over a slot → it does not fire again', async () => {
    at('2026-05-01T08:00:00Z');
    await register(daily());
    await look(daily());
    at('2026-05-01T09:00:01Z');
    expect((await look(daily())).fired).toBe(1);
    at('2026-05-01T08:30:00Z');
    await look(daily());
    at('2026-05-01T09:00:02Z');
    expect((await look(daily())).fired).toBe(0);
    expect(await slots()).toEqual(['2026-05-01T09:00']);
  });

  test('the clock jumps ten days ahead and comes back → the slots between fire in their time, none twice', async () => {
    at('2026-05-01T08:00:00Z');
    await register(daily());
    await look(daily());
    at('2026-05-11T10:00:00Z');
    await look(daily());
    expect(await slots()).toEqual(['2026-05-11T09:00']);
    for (let day = 1; day <= 12; day++) {
      at(`2026-05-${String(day).padStart(2, '0')}T09:00:10Z`);
      await look(daily());
      await look(daily());
    }
    expect(await slots()).toEqual(
      Array.from({ length: 12 }, (_, n) => `2026-05-${String(n + 1).padStart(2, '0')}T09:00`),
    );
  });

  test('a clock that was far ahead when the schedule was first seen → it is not silent until then', async () => {
    at('2027-01-01T00:00:00Z');
    await register(daily());
    await look(daily());
    at('2026-05-01T08:00:00Z');
    await look(daily());
    at('2026-05-01T09:00:05Z');
    await look(daily());
    expect(await slots()).toEqual(['2026-05-01T09:00']);
  });

  test('paused over a slot and resumed → that slot stays out, the next fires', async () => {
    at('2026-05-01T08:00:00Z');
    await register(daily());
    await look(daily());
    await setPaused(databases[0]!, 'daily', true, clock);
    at('2026-05-01T09:00:05Z');
    await look(daily());
    at('2026-05-01T15:00:00Z');
    await setPaused(databases[0]!, 'daily', false, clock);
    await look(daily());
    expect(await slots()).toEqual([]);
    at('2026-05-02T09:00:05Z');
    await look(daily());
    expect(await slots()).toEqual(['2026-05-02T09:00']);
  });

  test('moved to an earlier hour of the day → today is not made up for', async () => {
    at('2026-05-01T08:00:00Z');
    await register(daily());
    await look(daily());
    const moved = daily({ cron: '0 7 * * *' });
    at('2026-05-01T08:30:00Z');
    await register(moved);
    await look(moved);
    expect(await slots()).toEqual([]);
    at('2026-05-02T07:00:05Z');
    await look(moved);
    expect(await slots()).toEqual(['2026-05-02T07:00']);
  });

  test.each([
    ['Europe/Berlin', '2026-03-27', ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30']],
    ['Europe/Berlin', '2026-10-23', ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30']],
    ['America/New_York', '2026-03-06', ['2026-03-07T07:30', '2026-03-08T07:00', '2026-03-09T06:30']],
    ['Asia/Tokyo', '2026-03-27', ['2026-03-27T17:30', '2026-03-28T17:30', '2026-03-29T17:30']],
  ])('02:30 in %s around %s, looked at every ten minutes → once a day', async (timeZone, day, expected) => {
    const schedule = daily({ timeZone, cron: '30 2 * * *' });
    at(`${day}T12:00:00Z`);
    await register(schedule);
    await look(schedule);
    const end = clock + 3 * 86_400_000;
    for (; clock < end; clock += 600_000) await look(schedule);
    expect(await slots()).toEqual(expected);
  });

  test('in the time zone of recipients → a run per zone that occurs, at its own time; nobody → nothing', async () => {
    const schedule = daily({ timeZone: 'recipient', cron: '0 18 * * *' });
    at('2026-05-01T00:00:00Z');
    await register(schedule);
    expect(await look(schedule)).toEqual({ fired: 0, nextInMs: null });
    await addPeople('Europe/Berlin', 'Asia/Tokyo', null, 'Mars/Olympus');
    await look(schedule);
    const end = clock + 86_400_000;
    for (; clock < end; clock += 600_000) await look(schedule);
    expect(await slots('Asia/Tokyo')).toEqual(['2026-05-01T09:00']);
    expect(await slots('Europe/Berlin')).toEqual(['2026-05-01T16:00']);
    expect(await slots('UTC')).toEqual(['2026-05-01T18:00']);
    expect(await slots()).toHaveLength(3);
  });

  test('a zone first seen after its hour → it begins the day after', async () => {
    const schedule = daily({ timeZone: 'recipient', cron: '0 18 * * *' });
    at('2026-05-01T00:00:00Z');
    await register(schedule);
    await addPeople('Europe/Berlin');
    await look(schedule);
    at('2026-05-01T09:30:00Z');
    await addPeople('Asia/Tokyo'); // 18:30 there
    await look(schedule);
    expect(await slots()).toEqual([]);
    at('2026-05-02T09:00:30Z');
    await look(schedule);
    expect(await slots('Asia/Tokyo')).toEqual(['2026-05-02T09:00']);
  });

  async function addPeople(...zones: Array<string | null>): Promise<void> {
    await databases[0]!.query(
      "insert into postrider.recipients (tenant, email, time_zone) select 'acme', gen_random_uuid() || '@example.com', z from unnest($1::text[]) z",
      [zones],
    );
  }

  test('no broadcast is waiting → the scheduler is told of none ahead, not to look again at once', async () => {
    expect(await openDueBroadcasts(databases[0]!)).toEqual({ fired: 0, nextInMs: null });
  });
});
