import { killPoint } from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';
import type { GivenUp } from './given-up.js';
import { forgetBellsOf } from './ring-bells.js';

/**
 * Takes over what a dead worker held. Rows that had not begun go back as if nothing happened. Those that had may have
 * been delivered: they are recorded as such and retried alone, or stop in `unknown` where a repeat is forbidden. An email
 * that died alone three times ends as CRASH_LOOP. What it rang a broker's bell for and nobody has claimed goes back too.
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

export async function takeOverWorker(
  database: Database,
  dead: { id: number; lease: number },
): Promise<TakeOver | null> {
  killPoint('takeover:before');
  const result = await database.transaction(async (tx) => {
    // The fence of the whole process: whoever raises the lease first does the rest, once.
    const fence = await tx.query(
      `update postrider.workers set lease = lease + 1, ended_at = coalesce(ended_at, clock_timestamp())
       where id = $1 and lease = $2 returning id`,
      [dead.id, dead.lease],
    );
    if (fence.rows.length === 0) return null;
    const held = await sortRows(tx, dead.id, database.kind === 'pglite');
    return { worker: dead.id, ...held, bells: await forgetBellsOf(tx, dead.id) };
  });
  killPoint('takeover:after');
  return result;
}

async function sortRows(
  tx: Queryable,
  worker: number,
  marksHold: boolean,
): Promise<Omit<TakeOver, 'worker' | 'bells'>> {
  const { rows } = await tx.query<{ fate: Fate; count: number; ended: EndedRow[] | null }>(TAKE_OVER, [
    worker,
    CRASHES_TO_GIVE_UP,
    marksHold,
  ]);
  const count = (fate: Fate) => rows.find((row) => row.fate === fate)?.count ?? 0;
  return {
    released: count('release'),
    suspects: count('suspect'),
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

const CRASHED = 'its worker died each time this email was attempted alone';
const DIED = 'the worker died after the attempt had begun';

type Fate = 'release' | 'suspect' | 'unknown' | 'crash';

const TAKE_OVER = `
  with held as materialized (
    select q.*,
      -- marks are written without waiting for the disk unless a repeat is forbidden, so a server that
      -- restarted may have lost them
      q.begun or (not $3::boolean and not q.at_most_once and q.claimed_at < pg_postmaster_start_time()) as may_have_sent
    from postrider.email_queue q where q.owner = $1 for update
  ), sorted as materialized (
    select h.*,
      (h.alone or (select count(*) from held x where x.may_have_sent) = 1)::int as died_alone
    from held h
  ), fates as materialized (
    select s.*, case
        when not may_have_sent then 'release'
        when at_most_once then 'unknown'
        when crashes + died_alone >= $2::int then 'crash'
        when attempt + 1 >= max_attempts then 'unknown'
        else 'suspect'
      end as fate
    from sorted s
  ), released as (
    update postrider.email_queue q
    set owner = null, claimed_at = null, begun = false, alone = false, token = q.token + 1, ready = not q.suspect
    from fates f where f.id = q.id and f.fate = 'release'
    returning q.id
  ), facts as (
    insert into postrider.email_facts (email_id, type, detail)
    select id, 'RELEASED', jsonb_build_object('why', 'worker died before the attempt began', 'worker', $1::int)
    from released
  ), suspected as (
    update postrider.email_queue q
    set owner = null, claimed_at = null, begun = false, alone = false, token = q.token + 1, ready = false, suspect = true,
      possible_duplicate = true, attempt = q.attempt + 1, crashes = q.crashes + f.died_alone
    from fates f where f.id = q.id and f.fate = 'suspect'
  ), ended as (
    delete from postrider.email_queue q using fates f where f.id = q.id and f.fate in ('unknown', 'crash')
  ), attempts as (
    insert into postrider.email_attempts (email_id, attempt, token, status, final, events, offsets_ms, started_at,
      duration_ms, route, worker, error_code, error_category, error_message, next_attempt_at, detail)
    select id, attempt + 1, token,
      (case fate when 'suspect' then 'retry' when 'crash' then 'failed' else 'unknown' end)::postrider.email_status,
      fate <> 'suspect',
      case fate
        when 'suspect' then array['RECEIVED', 'OUTCOME_UNKNOWN', 'RETRY_SCHEDULED']::postrider.event_type[]
        when 'crash' then array['RECEIVED', 'OUTCOME_UNKNOWN', 'FAILED']::postrider.event_type[]
        else array['RECEIVED', 'OUTCOME_UNKNOWN']::postrider.event_type[]
      end,
      case when fate = 'unknown' then array[0, elapsed] else array[0, elapsed, elapsed] end,
      claimed_at, elapsed, route, $1::int,
      case fate when 'crash' then 'CRASH_LOOP' else 'WORKER_DIED' end, 'UNKNOWN_ERROR',
      case fate when 'crash' then '${CRASHED}' else '${DIED}' end,
      case when fate = 'suspect' then clock_timestamp() end,
      jsonb_build_object('possibleDuplicate', true, 'crashes', crashes + died_alone)
    from (select *, greatest(0, floor(extract(epoch from clock_timestamp() - claimed_at) * 1000))::int as elapsed
          from fates where fate <> 'release') t
  )
  select fate, count(*)::int as count,
    jsonb_agg(jsonb_build_object('id', id, 'token', token, 'attempt', attempt + 1))
      filter (where fate in ('unknown', 'crash')) as ended
  from fates group by fate`;
