import { killPoint, PostriderError } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import { pauseSending } from './pauses.js';

/**
 * Makes a store restored from a backup safe to start. The backup does not know what was sent after it was made, so each
 * waiting email is marked as a possible duplicate, and one that must never be repeated ends in `unknown`. Everything
 * that leaves the store is held until it is resumed. Killed at any point and run again, it goes on where it was.
 */
export interface Restored {
  /** Waiting emails that are now marked as possible duplicates. */
  possibleDuplicates: number;
  /** At-most-once emails that ended in `unknown`. */
  unknown: number;
}

export async function markRestored(database: Database): Promise<Restored> {
  await refuseBesideWorkers(database);
  await pauseSending(database, 'all', '', {
    reason: 'restored from a backup',
    by: 'postrider restored',
    events: true,
  });
  killPoint('restored:held');
  const restored: Restored = { possibleDuplicates: 0, unknown: 0 };
  let after = FIRST;
  for (;;) {
    const { rows } = await database.query<{ marked: number; ended: number; last: string | null }>(MARK, [
      BATCH,
      after,
    ]);
    const { marked = 0, ended = 0, last = null } = rows[0] ?? {};
    restored.possibleDuplicates += marked;
    restored.unknown += ended;
    killPoint('restored:batch');
    if (last === null) return restored;
    after = last;
  }
}

const BATCH = 2000;
const FIRST = '00000000-0000-0000-0000-000000000000';
/** Workers are numbered from 1. */
const NO_WORKER = 0;

/** A worker that runs has claimed and sent by now what this would mark. */
async function refuseBesideWorkers(database: Database): Promise<void> {
  const { rows } = await database.query<{ host: string; pid: number }>(
    `select host, pid from postrider.workers
     where ended_at is null and beat_at > clock_timestamp() - interval '10 seconds' order by id limit 1`,
  );
  if (!rows[0]) return;
  const { host, pid } = rows[0];
  const message = `A worker runs on this store: process ${pid} on ${host}.`;
  throw new PostriderError('WORKERS_RUNNING', message);
}

const MARK = `
  with batch as materialized (
    select id, at_most_once, attempt, token, route from postrider.email_queue
    where id > $2::uuid and (at_most_once or not possible_duplicate)
    order by id limit $1::int for update
  ), marked as (
    update postrider.email_queue q set possible_duplicate = true
    from batch b where b.id = q.id and not b.at_most_once returning q.id
  ), told as (
    insert into postrider.email_facts (email_id, type, detail)
    select id, 'RELEASED', jsonb_build_object('why', 'the store was restored from a backup', 'possibleDuplicate', true)
    from marked
  ), ended as (
    delete from postrider.email_queue q using batch b where b.id = q.id and b.at_most_once returning q.id
  ), attempts as (
    insert into postrider.email_attempts (email_id, attempt, token, status, final, events, offsets_ms, started_at,
      duration_ms, route, worker, error_code, error_category, error_message, detail)
    select id, attempt + 1, token, 'unknown', true, array['RECEIVED', 'OUTCOME_UNKNOWN']::postrider.event_type[],
      array[0, 0], clock_timestamp(), 0, route, ${NO_WORKER}, 'STORE_RESTORED', 'UNKNOWN_ERROR',
      'the store was restored from a backup, and whether this was sent after the backup is not known',
      jsonb_build_object('possibleDuplicate', true)
    from batch where at_most_once
  )
  select (select count(*) from marked)::int as marked, (select count(*) from ended)::int as ended,
    (select id::text from batch order by id desc limit 1) as last`;
