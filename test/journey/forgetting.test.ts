import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dropOldSessions } from '../../src/access/sessions.js';
import { dropOldTries } from '../../src/access/sign-in-limits.js';
import { forgetOldBusRows, forgetOldDeliveries } from '../../src/events/index.js';
import { prune } from '../../src/outbox/index.js';
import { forgetOldSlots } from '../../src/policy/index.js';
import { forgetOldRuns } from '../../src/schedules/index.js';
import type { Database } from '../../src/store/index.js';
import { describeWith } from '../services/index.js';
import { type Journey, openJourney } from './ground/open-journey.js';

/**
 * What is kept for a time and then forgotten: of rows a minute short of their time, a minute past it and from the future of a
 * clock that ran ahead, the second goes and no other.
 */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let journey: Journey;
let pool: pg.Pool;
let database: Database;
/** A row of this age in milliseconds; answers what names it. */
type Make = (ageMs: number) => Promise<string>;

interface Kept {
  table: string;
  /** What of a row is its name. */
  name: string;
  make: Make;
  afterMs: number;
  forget(): Promise<unknown>;
}

const at = (ageMs: number) => new Date(Date.now() - ageMs);
let made = 0;
async function insert(text: string, ageMs: number): Promise<string> {
  made += 1;
  const { rows } = await pool.query(text, [at(ageMs), `n-${made}`]);
  return String(rows[0].name);
}
/** An id as it was made then. */
const ID = `overlay(postrider.id_floor($1::timestamptz)::text placing substr(md5($2), 1, 12) from 25)::uuid`;
const ADMIN = '(select id from postrider.admins limit 1)';

const KEPT: Record<string, Kept> = {
  'a webhook delivery, ten days': {
    ...{ table: 'webhook_deliveries', name: 'id', afterMs: 10 * DAY },
    make: (ageMs) =>
      insert(
        `insert into postrider.webhook_deliveries (id, endpoint_id, tenant, type, payload, due_at)
         values (${ID}, postrider.new_id(), 'a', 'email.sent', '{}', null) returning id as name`,
        ageMs,
      ),
    forget: () => forgetOldDeliveries(database, 10),
  },
  'a webhook request of a delivery that stays, ten days': {
    ...{ table: 'webhook_attempts', name: 'id', afterMs: 10 * DAY },
    make: (ageMs) =>
      insert(
        `insert into postrider.webhook_attempts (id, delivery_id, duration_ms, sent_at)
         values (${ID}, postrider.new_id(), 1, $1::timestamptz) returning id as name`,
        ageMs,
      ),
    forget: () => forgetOldDeliveries(database, 10),
  },
  'an event the bus never took, ten days': {
    ...{ table: 'bus_events', name: 'id', afterMs: 10 * DAY },
    make: (ageMs) =>
      insert(
        `insert into postrider.bus_events (id, tenant, type, email_id, payload)
         values (${ID}, 'a', 'email.sent', postrider.new_id(), '{}') returning id as name`,
        ageMs,
      ),
    forget: () => forgetOldBusRows(database, 10),
  },
  'an event that was taken from the bus, ten days': {
    ...{ table: 'bus_received', name: 'event_id', afterMs: 10 * DAY },
    make: (ageMs) =>
      insert(
        `insert into postrider.bus_received (source, type, event_id, received_at)
         values ('s', 't', $2, $1) returning event_id as name`,
        ageMs,
      ),
    forget: () => forgetOldBusRows(database, 10),
  },
  'a worker that ended, seven days': {
    ...{ table: 'workers', name: 'instance', afterMs: 7 * DAY },
    make: (ageMs) =>
      insert(
        `insert into postrider.workers (instance, host, pid, ended_at) values ($2, 'h', 1, $1)
         returning instance as name`,
        ageMs,
      ),
    forget: () => prune(database, { contentDays: 30, logDays: 90, sentContentHours: null } as never),
  },
  'a session, from its end': {
    ...{ table: 'admin_sessions', name: 'token_hash', afterMs: 0 },
    make: (ageMs) =>
      insert(
        `insert into postrider.admin_sessions (token_hash, admin_id, expires_at) values ($2, ${ADMIN}, $1)
         returning token_hash as name`,
        ageMs,
      ),
    forget: () => dropOldSessions(database, { idleMs: HOUR } as never),
  },
  'a session nobody uses, one hour': {
    ...{ table: 'admin_sessions', name: 'token_hash', afterMs: HOUR },
    make: (ageMs) =>
      insert(
        `insert into postrider.admin_sessions (token_hash, admin_id, seen_at, expires_at)
         values ($2, ${ADMIN}, $1, now() + interval '1 day') returning token_hash as name`,
        ageMs,
      ),
    forget: () => dropOldSessions(database, { idleMs: HOUR } as never),
  },
  'a sign-in that was begun, one hour from its end': {
    ...{ table: 'admin_sign_ins', name: 'token_hash', afterMs: HOUR },
    make: (ageMs) =>
      insert(
        `insert into postrider.admin_sign_ins (token_hash, admin_id, code_hash, expires_at)
         values ($2, ${ADMIN}, 'x', $1) returning token_hash as name`,
        ageMs,
      ),
    forget: () => dropOldSessions(database, { idleMs: HOUR } as never),
  },
  'tries to sign in, from the end of their window': {
    ...{ table: 'sign_in_limits', name: 'key', afterMs: 0 },
    make: (ageMs) =>
      insert(
        'insert into postrider.sign_in_limits (key, count, window_ends_at) values ($2, 1, $1) returning key as name',
        ageMs,
      ),
    forget: () => dropOldTries(database),
  },
  'what a limit counted, from the end of its window': {
    ...{ table: 'rate_limit_slots', name: 'type', afterMs: 0 },
    make: (ageMs) =>
      insert(
        `insert into postrider.rate_limit_slots (tenant, recipient, type, window_start, slot, expires_at)
         values ('a', 'x', $2, to_timestamp(0), 1, $1) returning type as name`,
        ageMs,
      ),
    forget: () => forgetOldSlots(database),
  },
  'a run of a schedule, ninety days': {
    ...{ table: 'schedule_runs', name: 'id', afterMs: 90 * DAY },
    make: (ageMs) =>
      insert(
        `insert into postrider.schedule_runs (id, schedule, zone, slot, state, started_at, finished_at)
         values (${ID}, 'one schedule', 'UTC', $1, 'done', $1, $1) returning id as name`,
        ageMs,
      ),
    forget: () => forgetOldRuns(database),
  },
};

describeWith('postgres')('what is forgotten after a time', () => {
  beforeAll(async () => {
    journey = await openJourney();
    pool = journey.pool;
    database = await journey.postrider.ready();
    await journey.postrider.access.admins.create({
      ...{ email: 'a@example.com', role: 'admin', password: 'correct horse battery' },
    });
  });
  afterAll(() => journey.close());

  test.each(Object.entries(KEPT))('%s → gone a minute past it, there a minute before', async (_, kept) => {
    const { table, name, make, afterMs, forget } = kept;
    const young = await make(afterMs - MINUTE);
    const old = [await make(afterMs + MINUTE), await make(afterMs + 400 * DAY)];
    const ahead = await make(-DAY);
    await forget();
    const { rows } = await pool.query<{ name: string }>(
      `select ${name}::text as name from postrider.${table} where ${name}::text = any ($1) order by 1`,
      [[young, ...old, ahead]],
    );
    expect(rows.map((row) => row.name)).toEqual([young, ahead].sort());
  });

  test('a delivery that goes → its requests go with it, those of one that stays do not', async () => {
    const deliveries = KEPT['a webhook delivery, ten days']!;
    const [old, young] = [await deliveries.make(11 * DAY), await deliveries.make(9 * DAY)];
    for (const id of [old, young])
      await pool.query(
        `insert into postrider.webhook_attempts (delivery_id, duration_ms, sent_at) values ($1, 1, now())`,
        [id],
      );
    await forgetOldDeliveries(database, 10);
    const { rows } = await pool.query(
      'select delivery_id from postrider.webhook_attempts where delivery_id = any ($1::uuid[])',
      [[old, young]],
    );
    expect(rows).toEqual([{ delivery_id: young }]);
  });
});
