import { killPoint, newId } from '../kernel/index.js';
import { listTimeZones } from '../recipients/index.js';
import type { Database, Queryable } from '../store/index.js';
import { EVERY_ZONE, type Schedule } from './define-schedule.js';
import { cronSlots } from './slots/cron-slots.js';
import { isTimeZone } from './slots/wall-time.js';

/**
 * One look at what is due. A slot becomes a run by a unique key, so that it does not matter how many look at once; the
 * run is the work itself, so that nothing is lost between the two. Says how long until the next slot.
 */
export interface Look {
  fired: number;
  /** null: nothing ahead. */
  nextInMs: number | null;
}

export interface FireOptions {
  schedules: readonly Schedule[];
  /** Where people live of whom nothing is known, and of schedules that name no zone. */
  defaultZone: string;
  /** The database's clock, by which everything is due. */
  now(database: Queryable): Promise<number>;
}

export async function fireSlots(database: Database, options: FireOptions): Promise<Look> {
  const schedules = options.schedules.filter((schedule) => schedule.cron !== null);
  if (schedules.length === 0) return { fired: 0, nextInMs: null };
  const people = schedules.some(({ timeZone }) => timeZone === EVERY_ZONE)
    ? await zonesOfPeople(database, options.defaultZone)
    : [];
  const now = await options.now(database);
  let fired = 0;
  let next: number | null = null;
  for (const schedule of schedules) {
    const zones = schedule.timeZone === EVERY_ZONE ? people : [schedule.timeZone ?? options.defaultZone];
    for (const state of await readZones(database, schedule.name, { zones, now })) {
      if (state.paused) continue;
      for (const slot of dueSlots(schedule, state, now)) {
        if (await openRun(database, { schedule: schedule.name, zone: state.zone, slot })) fired += 1;
        killPoint('schedules:fired');
      }
      const ahead = cronSlots(schedule.cron!, state.zone).next(now);
      if (ahead !== null) next = Math.min(next ?? ahead, ahead);
    }
  }
  return { fired, nextInMs: next === null ? null : next - now };
}

/** Each zone that occurs, with the default in place of none and of what is no zone. */
export async function zonesOfPeople(database: Queryable, defaultZone: string): Promise<string[]> {
  const zones = await listTimeZones(database);
  return [...new Set(zones.map((zone) => (zone !== null && isTimeZone(zone) ? zone : defaultZone)))].sort();
}

export interface ZoneState {
  zone: string;
  /** Nothing up to here is fired. */
  firesAfter: number;
  paused: boolean;
}

/** Slots that have come and have not been fired, as far as the schedule makes up for them. */
export function dueSlots(
  schedule: Pick<Schedule, 'cron' | 'catchUp' | 'withinMs'>,
  { zone, firesAfter }: Pick<ZoneState, 'zone' | 'firesAfter'>,
  now: number,
): number[] {
  const slots = cronSlots(schedule.cron!, zone);
  const tooLate = Math.max(now - (schedule.withinMs ?? Number.POSITIVE_INFINITY), firesAfter);
  if (schedule.catchUp === 'all') return slots.between(tooLate, now, MOST_AT_ONCE);
  const latest = slots.latest(now);
  if (latest === null || latest <= tooLate) return [];
  // Seen within the minute it was due is in time; cron has no finer one.
  return schedule.catchUp === 'none' && now - latest > IN_TIME_MS ? [] : [latest];
}

const MOST_AT_ONCE = 100;
const IN_TIME_MS = 60_000;

/** Makes a zone known the first time it is seen, forgets those where nobody lives any more, and says what has fired. */
async function readZones(
  database: Queryable,
  schedule: string,
  { zones, now }: { zones: readonly string[]; now: number },
): Promise<ZoneState[]> {
  const { rows } = await database.query<{ zone: string; fires_after: Date; paused: boolean }>(ZONES, [
    schedule,
    zones,
    new Date(now).toISOString(),
  ]);
  return rows.map((row) => ({
    zone: row.zone,
    firesAfter: row.fires_after.getTime(),
    paused: row.paused,
  }));
}

/** Null when the slot has fired before. */
export async function openRun(
  database: Queryable,
  run: { schedule: string; zone: string; slot: number; manual?: boolean },
): Promise<string | null> {
  const { rows } = await database.query<{ id: string }>(OPEN, [
    newId(),
    run.schedule,
    run.zone,
    new Date(run.slot).toISOString(),
    run.manual ?? false,
  ]);
  return rows[0]?.id ?? null;
}

// A clock that was ahead when something was written down must not silence a schedule until that time comes: such a row
// counts from now on, and slots that were fired ahead of their time are left out of what was last fired.
const ZONES = {
  name: 'schedules_zones',
  text: `
    with gone as (
      delete from postrider.schedule_zones z where z.schedule = $1 and z.zone <> all($2::text[])
    ), early as (
      update postrider.schedule_zones z set fires_after = $3::timestamptz
      where z.schedule = $1 and z.fires_after > $3::timestamptz
    ), here as (
      insert into postrider.schedule_zones (schedule, zone, fires_after)
      select $1, n.zone, $3::timestamptz from unnest($2::text[]) as n(zone)
      where not exists (select 1 from postrider.schedule_zones z where z.schedule = $1 and z.zone = n.zone)
      order by n.zone
      on conflict (schedule, zone) do nothing
      returning zone
    )
    select known.zone, s.paused_at is not null as paused,
      greatest(known.fires_after, (
        select max(r.slot) from postrider.schedule_runs r
        where r.schedule = $1 and r.zone = known.zone and not r.manual and r.slot <= $3::timestamptz
      )) as fires_after
    from (
      select z.zone, least(z.fires_after, $3::timestamptz) as fires_after
      from postrider.schedule_zones z where z.schedule = $1 and z.zone = any($2::text[])
      union all
      select here.zone, $3::timestamptz from here
    ) known join postrider.schedules s on s.name = $1`,
};

const OPEN = {
  name: 'schedules_open_run',
  text: `
    insert into postrider.schedule_runs (id, schedule, zone, slot, manual)
    values ($1, $2, $3, $4::timestamptz, $5)
    on conflict (schedule, zone, slot) do nothing returning id`,
};
