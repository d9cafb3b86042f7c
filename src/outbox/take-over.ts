import { killPoint } from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';
import type { GivenUp } from './given-up.js';
import { forgetBellsOf } from './ring-bells.js';
import { recognizeEpoch } from './server-epoch.js';
import { BEAT_OF, type DeadWorker } from './watch-workers.js';

/**
 * Takes over what a dead worker held. Rows it had not opened go back as if nothing happened. Those it had are suspects:
 * they are tried again among fewer and fewer others, and one with which three processes died while they prepared nothing
 * else ends as CRASH_LOOP; where they only froze, each costs an attempt, and the last ends it. Only those that had begun may
 * have been delivered: they are recorded as such, or stop in `unknown` where a repeat is forbidden. What it rang a broker's bell
 * for and nobody has claimed goes back too.
 */
export interface TakeOver {
  worker: number;
  released: number;
  suspects: number;
  unknown: number;
  crashLoops: number;
  /** Rows it had rung for. */
  bells: number;
  /** Those that ended by it: the last two. */
  ended: GivenUp[];
}

/** For people who read the log. */
export function figuresOf({ ended, ...figures }: TakeOver): Omit<TakeOver, 'ended'> {
  return figures;
}

/** Whether the dead one had anything in its hands. */
export function hasHeld({ released, suspects, unknown, crashLoops }: TakeOver): boolean {
  return released + suspects + unknown + crashLoops > 0;
}

export const CRASHES_TO_GIVE_UP = 3;

export async function takeOverWorker(database: Database, dead: DeadWorker): Promise<TakeOver | null> {
  killPoint('takeover:before');
  const result = await database.transaction(async (tx) => {
    // Within the transaction: the server may have crashed, and lost marks, since this worker was judged.
    const epoch = await recognizeEpoch(tx, database.kind);
    if (dead.epoch !== null && dead.epoch !== epoch.id) return null;
    // The fence of the whole process: whoever raises the lease first does the rest, once.
    const fence = await tx.query(
      `update postrider.workers w set lease = lease + 1, ended_at = coalesce(ended_at, clock_timestamp())
       where id = $1 and lease = $2 and ($3::text is null or ${BEAT_OF('w')} = $3) returning id`,
      [dead.id, dead.lease, dead.beat],
    );
    if (fence.rows.length === 0) return null;
    const held = await sortRows(tx, dead);
    return { worker: dead.id, ...held, bells: await forgetBellsOf(tx, dead.id) };
  });
  killPoint('takeover:after');
  return result;
}

/** Called by a worker that was taken over and lives: cut off, it looked dead. What it had begun may be a duplicate all the same. */
export async function takeBackCrashes(database: Queryable, worker: number): Promise<number> {
  const { rowCount } = await database.query(TAKE_BACK_CRASHES, [worker]);
  return rowCount;
}

// Suspects are waiting or claimed: each of the two has its index.
const TAKE_BACK_CRASHES = `
  update postrider.email_queue q set crashes = crashes - 1, crashed_by = null
  where ((suspect and owner is null) or owner is not null) and crashed_by = $1::int and crashes > 0
  returning q.id`;

async function sortRows(tx: Queryable, dead: DeadWorker): Promise<Omit<TakeOver, 'worker' | 'bells'>> {
  const { rows } = await tx.query<{ fate: Fate; count: number; ended: EndedRow[] | null }>(TAKE_OVER, [
    dead.id,
    CRASHES_TO_GIVE_UP,
    dead.died,
  ]);
  const count = (fate: Fate) => rows.find((row) => row.fate === fate)?.count ?? 0;
  return {
    released: count('release'),
    suspects: count('suspect') + count('repeat'),
    unknown: count('unknown'),
    crashLoops: count('crash'),
    ended: rows.flatMap(({ fate, ended }) => (ended ?? []).map((row) => asGivenUp(fate, row))),
  };
}

type EndedRow = Pick<GivenUp, 'id' | 'token' | 'attempt'>;

function asGivenUp(fate: Fate, { id, token, attempt }: EndedRow): GivenUp {
  const crash = fate === 'crash';
  return {
    ...{ id, token, attempt, status: crash ? 'failed' : 'unknown' },
    ...{ errorCode: crash ? 'CRASH_LOOP' : 'WORKER_DIED', errorMessage: crash ? CRASHED : DIED },
  };
}

const CRASHED = 'its worker died or froze each time this email was attempted alone';
const DIED = 'the worker died after the attempt had begun';
const FROZE = 'the worker froze while it prepared this email alone';

/** `suspect` had not begun and cost no attempt; `repeat` had begun, or its worker froze with it alone. */
type Fate = 'release' | 'suspect' | 'repeat' | 'unknown' | 'crash';

const TAKE_OVER = `
  with held as materialized (
    select q.*, q.begun as may_have_sent
    -- a row that a caller's open transaction has locked is taken over by a later look
    from postrider.email_queue q where q.owner = $1 for update skip locked
  ), opened as materialized (
    select count(*)::int as count from postrider.email_queue q where q.owner = $1 and (q.opened or q.begun)
  ), sorted as materialized (
    select h.*, h.opened or h.may_have_sent as was_opened, ($3::boolean and (h.alone or o.count = 1))::int as died_alone,
      -- frozen by it, perhaps: that is no crash, but it must not go on for ever
      h.alone and not $3::boolean and not h.may_have_sent as froze_alone,
      greatest(1, least(case when h.suspect and h.group_limit > 0 then h.group_limit else o.count end, o.count, 10000) / 2) as next_limit
    from held h, opened o
  ), fates as materialized (
    select s.*, case
        when not was_opened then 'release'
        when may_have_sent and at_most_once then 'unknown'
        when crashes + died_alone >= $2::int then 'crash'
        when not may_have_sent and not froze_alone then 'suspect'
        when attempt + 1 >= max_attempts then case when may_have_sent then 'unknown' else 'crash' end
        else 'repeat'
      end as fate
    from sorted s
  ), released as (
    update postrider.email_queue q
    set owner = null, claimed_at = null, opened = false, begun = false, alone = false, token = q.token + 1, ready = not q.suspect
    from fates f where f.id = q.id and f.fate = 'release'
    returning q.id
  ), suspected as (
    update postrider.email_queue q
    set owner = null, claimed_at = null, opened = false, begun = false, alone = false, token = q.token + 1, ready = false,
      suspect = true, group_limit = f.next_limit, crashes = q.crashes + f.died_alone,
      crashed_by = case f.died_alone when 1 then $1::int else q.crashed_by end,
      possible_duplicate = q.possible_duplicate or f.may_have_sent,
      attempt = q.attempt + (f.fate = 'repeat')::int
    from fates f where f.id = q.id and f.fate in ('suspect', 'repeat')
  ), facts as (
    insert into postrider.email_facts (email_id, type, detail)
    select id, 'RELEASED', jsonb_build_object('why', 'worker died before the attempt began', 'worker', $1::int)
      || case fate when 'suspect' then jsonb_build_object('suspect', true, 'crashes', crashes + died_alone) else '{}' end
    from fates where fate in ('release', 'suspect')
  ), ended as (
    delete from postrider.email_queue q using fates f where f.id = q.id and f.fate in ('unknown', 'crash')
  ), attempts as (
    insert into postrider.email_attempts (email_id, attempt, token, status, final, events, offsets_ms, started_at,
      duration_ms, route, worker, error_code, error_category, error_message, next_attempt_at, detail)
    select id, attempt + 1, token,
      (case fate when 'repeat' then 'retry' when 'crash' then 'failed' else 'unknown' end)::postrider.email_status,
      fate <> 'repeat', happened, array(select case n when 1 then 0 else elapsed end from generate_series(1, cardinality(happened)) n),
      started_at, elapsed, route, $1::int,
      case fate when 'crash' then 'CRASH_LOOP' else 'WORKER_DIED' end, 'UNKNOWN_ERROR',
      case when fate = 'crash' then '${CRASHED}' when froze_alone then '${FROZE}' else '${DIED}' end,
      case when fate = 'repeat' then clock_timestamp() end,
      jsonb_build_object('possibleDuplicate', possible_duplicate or may_have_sent, 'crashes', crashes + died_alone)
    from (
      -- a store that was closed for longer than milliseconds of an integer can count; a claim that no process wrote
      select f.*, s.started_at,
        least(2147483647, greatest(0, floor(extract(epoch from clock_timestamp() - s.started_at) * 1000)))::int as elapsed,
        (case
          when froze_alone and fate = 'repeat' then array['RECEIVED', 'RETRY_SCHEDULED']
          when fate = 'repeat' then array['RECEIVED', 'OUTCOME_UNKNOWN', 'RETRY_SCHEDULED']
          when fate = 'unknown' then array['RECEIVED', 'OUTCOME_UNKNOWN']
          when may_have_sent then array['RECEIVED', 'OUTCOME_UNKNOWN', 'FAILED']
          else array['RECEIVED', 'FAILED']
        end)::postrider.event_type[] as happened
      from fates f cross join lateral (
        select case when isfinite(f.claimed_at) then f.claimed_at else clock_timestamp() end as started_at
      ) s
      where f.fate in ('repeat', 'unknown', 'crash')
    ) t
  )
  select fate, count(*)::int as count,
    jsonb_agg(jsonb_build_object('id', id, 'token', token, 'attempt', attempt + 1))
      filter (where fate in ('unknown', 'crash')) as ended
  from fates group by fate`;
