import type { Database } from '../store/index.js';

/**
 * How many emails wait, by route, priority and state. A queue of at most 5,000 is counted; of a larger one some
 * 150 pages are read, wherever its rows lie, and what that comes to is an estimate. Groups of which the sample holds
 * little are counted by index, so that a few emails beside a million are neither left out nor made into thousands.
 */
export interface QueueCounts {
  groups: QueueGroup[];
  /** The counts are estimates, rounded to three digits. */
  estimated: boolean;
}

export interface QueueGroup {
  route: string;
  priority: number;
  state: 'ready' | 'waiting' | 'parked' | 'processing';
  status: 'processing' | 'scheduled' | 'retry' | 'pending';
  count: number;
}

const EXACT_UP_TO = 5000;
const SAMPLE_PAGES = 150;
/** Of a group with fewer rows in the sample the estimate says little. */
const FEW_IN_SAMPLE = 30;
const SMALL_UP_TO = 500;
/** Of how many routes and priorities small groups are counted. */
const MOST_GROUPS = 50;

/**
 * For the rest of a transaction. Without statistics, or with those from before the last emails, the planner expects few
 * rows, and would read and sort all of them for the first.
 */
export const BY_INDEX = `select set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
  set_config('enable_seqscan', 'off', true)`;

export async function countQueue(database: Database): Promise<QueueCounts> {
  const { rows } = await database.query<QueueGroup>(EXACT, [EXACT_UP_TO + 1]);
  if (total(rows) <= EXACT_UP_TO) return { groups: joined(rows), estimated: false };
  const [sampled, small] = await Promise.all([
    database.query<SampledGroup>(SAMPLE, [SAMPLE_PAGES]),
    database.transaction(async (tx) => {
      await tx.query(BY_INDEX);
      return tx.query<SmallGroup>(SMALL, [SMALL_UP_TO, MOST_GROUPS]);
    }),
  ]);
  return { groups: estimate(sampled.rows, small.rows), estimated: true };
}

function estimate(sampled: readonly SampledGroup[], small: readonly SmallGroup[]): QueueGroup[] {
  const groups = joined(sampled);
  const scale = scaleOf(sampled);
  const inSample = new Map(groups.map((group) => [keyOf(group), group.count]));
  const counts = new Map(
    groups.map((group) => [keyOf(group), { ...group, count: rounded(group.count * scale) }]),
  );
  for (const { truncated, ...group } of small) {
    if ((inSample.get(keyOf(group)) ?? 0) >= FEW_IN_SAMPLE) continue;
    const estimated = counts.get(keyOf(group))?.count ?? 0;
    counts.set(keyOf(group), { ...group, count: truncated ? Math.max(group.count, estimated) : group.count });
  }
  return [...counts.values()];
}

/**
 * By how many pages were to be read, or better by how many rows there are as the server's statistics have it: how many
 * pages a sample reads varies by a tenth. They are lost in a crash of the server, so they must agree with the sample.
 */
function scaleOf(sampled: readonly SampledGroup[]): number {
  const [first] = sampled;
  if (!first) return 1;
  const { scale, live } = first;
  const agree = live / (total(sampled) * scale);
  return agree > 0.65 && agree < 1.5 ? scale * agree : scale;
}

type SampledGroup = QueueGroup & { scale: number; live: number };
type SmallGroup = QueueGroup & { truncated: boolean };

/** Rows that differ in nothing that is shown are one group. */
function joined(rows: readonly QueueGroup[]): QueueGroup[] {
  const groups = new Map<string, QueueGroup>();
  for (const { route, priority, state, status, count } of rows) {
    const group = { route, priority, state, status, count };
    const known = groups.get(keyOf(group));
    if (known) known.count += count;
    else groups.set(keyOf(group), group);
  }
  return [...groups.values()];
}

const keyOf = ({ route, priority, state, status }: QueueGroup) => `${state} ${status} ${priority} ${route}`;

export const total = (groups: readonly QueueGroup[]) => groups.reduce((sum, { count }) => sum + count, 0);

function rounded(count: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, count))) - 2);
  return Math.round(count / step) * step;
}

/** What a row counts as; kept apart until the counting is done, because words are dear to group by. */
const OF_ROW = `q.route, q.priority, q.owner is not null as claimed, q.parked, coalesce(q.ready or q.rung_at <= now(), false) as ready,
  q.scheduled, q.attempt > 0 as retried`;
const BY = 'route, priority, claimed, parked, ready, scheduled, retried';
const GROUP = `route, priority::int as priority,
  case when claimed then 'processing' when parked then 'parked' when ready then 'ready' else 'waiting' end as state,
  case when claimed then 'processing' when scheduled then 'scheduled' when retried then 'retry' else 'pending' end as status`;

const EXACT = {
  name: 'views_count_queue',
  text: `
    select ${GROUP}, count from (
      select ${BY}, count(*)::int as count from (
        select ${OF_ROW} from postrider.email_queue q order by q.id limit $1::int
      ) q group by ${BY}
    ) g`,
};

// Not prepared: of a kept plan the share of pages would be unknown, and with it whether the sample is small.
const SAMPLE = `
  with share as materialized (
    select least(1, $1::float8 / greatest(1, pg_relation_size('postrider.email_queue')
      / current_setting('block_size')::int)) as of_pages
  )
  select ${GROUP}, count, 1 / (select of_pages from share) as scale, (
      select pg_stat_get_live_tuples('postrider.email_queue'::regclass)::float8) as live
  from (
    select ${BY}, count(*)::int as count from (
      select ${OF_ROW} from postrider.email_queue q tablesample system ((select 100 * of_pages from share))
    ) q group by ${BY}
  ) g`;

// Ready ones route by route and priority by priority, as a claim finds them; all others in three stretches of an index.
const SMALL = {
  name: 'views_count_small_groups',
  text: `
    with recursive turn(route, priority, n) as (
      (select route, priority, 1 from postrider.email_queue where ready order by route, priority limit 1)
      union all
      select next.route, next.priority, turn.n + 1
      from turn cross join lateral (
        select q.route, q.priority from postrider.email_queue q
        where q.ready and (q.route, q.priority) > (turn.route, turn.priority)
        order by q.route, q.priority limit 1
      ) next
      where turn.n < $2::int
    ), ready as (
      select x.* from turn cross join lateral (
        select ${OF_ROW} from postrider.email_queue q
        where q.ready and q.route = turn.route and q.priority = turn.priority
        order by q.route, q.priority, q.tenant, q.id limit $1::int + 1
      ) x
    ), claimed as materialized (
      select ${OF_ROW} from postrider.email_queue q where q.owner is not null order by q.owner limit $1::int + 1
    ), parked as materialized (
      select ${OF_ROW} from postrider.email_queue q where q.parked order by q.parked_by, q.id limit $1::int + 1
    ), due as materialized (
      select ${OF_ROW} from postrider.email_queue q
      where q.due_at is not null and q.owner is null and not q.parked order by q.due_at limit $1::int + 1
    ), found as (
      select ready.*, null as truncated from ready
      union all select claimed.*, (select count(*) from claimed) > $1::int from claimed
      union all select parked.*, (select count(*) from parked) > $1::int from parked
      union all select due.*, (select count(*) from due) > $1::int from due
    )
    select ${GROUP}, count, truncated from (
      select ${BY}, count(*)::int as count, coalesce(bool_or(truncated), count(*) > $1::int) as truncated
      from found group by ${BY}
    ) g`,
};
