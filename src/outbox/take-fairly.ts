import type { Queryable, Statement } from '../store/index.js';

/**
 * The order in which ready emails of a route go, whoever takes them. Urgent ones first; within a priority
 * tenants take turns, starting after the one served last; one row in twenty goes to the lowest priority
 * that has any, so nothing starves. The cost does not depend on how many wait.
 */
export interface FairTaker<Row> {
  take(limit: number, pausedTenants: readonly string[]): Promise<Row[]>;
}

export interface FairTakerOptions {
  route: string;
  /** Made by `takeStatement`. */
  statement: Statement;
  /** The values of the statement after the sixth. */
  values: () => readonly unknown[];
}

const LOWEST_SHARE = 20;

export function createFairTaker<Row extends { id: string }>(
  database: Queryable,
  { route, statement, values }: FairTakerOptions,
): FairTaker<Row> {
  const turns = new Map<number, Turn>();
  let sinceLowest = 0;

  async function takePriority(priority: number, limit: number, paused: readonly string[]): Promise<Row[]> {
    const turn = turns.get(priority) ?? { after: '', tenants: 0 };
    turns.set(priority, turn);
    const taken: Row[] = [];
    // A round may end at the last tenant or find few of them; two more rounds fill the batch.
    for (let round = 0; round < 3 && taken.length < limit; round++) {
      const need = limit - taken.length;
      const isWhole = turn.after === '';
      const each = turn.tenants === 0 ? 1 : Math.ceil(need / turn.tenants);
      const { rows } = await database.query<TakenRow<Row>>(statement, [
        ...[route, priority, turn.after, need, each, paused],
        ...values(),
      ]);
      const { seen, last_tenant } = rows[0] ?? { seen: 0, last_tenant: null };
      const found = rows.filter((row) => row.id !== null) as Row[];
      taken.push(...found);
      if (seen === 0 && isWhole) break;
      turn.after = seen < need ? '' : (last_tenant ?? '');
      if (isWhole && seen < need) turn.tenants = seen;
      else if (seen > turn.tenants) turn.tenants = 0;
      // All tenants were asked and none gave as many as it might have.
      if (isWhole && seen < need && found.length < each) break;
    }
    return taken;
  }

  return {
    async take(limit, pausedTenants) {
      const { rows } = await database.query<{ priority: number }>(NON_EMPTY, [route]);
      const priorities = rows.map((row) => row.priority);
      const lowest = priorities.at(-1);
      if (lowest === undefined) return [];
      const taken: Row[] = [];
      if (priorities.length > 1) {
        sinceLowest += limit;
        const share = Math.floor(sinceLowest / LOWEST_SHARE);
        if (share > 0) {
          sinceLowest -= share * LOWEST_SHARE;
          taken.push(...(await takePriority(lowest, Math.min(share, limit), pausedTenants)));
        }
      }
      for (const priority of priorities) {
        if (taken.length >= limit) break;
        taken.push(...(await takePriority(priority, limit - taken.length, pausedTenants)));
      }
      return taken;
    },
  };
}

interface Turn {
  /** The tenant served last. */
  after: string;
  /** How many share a batch, as counted when one batch last reached them all; 0: more than a batch holds, or unknown. */
  tenants: number;
}

/** `id` is null in the one row that only says how far the turn came: `last_tenant` is the last one that it reached. */
type TakenRow<Row> = (Row | { id: null }) & { last_tenant: string | null; seen: number };

// At most five probes: written with `exists`, it can become a join that reads every waiting row.
const NON_EMPTY = {
  name: 'outbox_non_empty_priorities',
  text: `
    with recursive found(priority) as (
      (select priority from postrider.email_queue
       where ready and route = $1 order by route, priority limit 1)
      union all
      select (select q.priority from postrider.email_queue q
              where q.ready and q.route = $1 and q.priority > found.priority
              order by q.route, q.priority limit 1)
      from found where found.priority is not null
    )
    select priority::int as priority from found where priority is not null order by priority`,
};

/**
 * Loose index scan: one index-only probe per tenant, then a few rows of each under lock, from the one that was found:
 * before it may be thousands that were taken and are still in the index until a vacuum. That one is locked by its
 * id, which costs half of going down the index of the turn again; the rest are looked for only where more are wanted
 * or another worker holds it.
 */
export function takeStatement({ name, set, returning }: Record<'name' | 'set' | 'returning', string>): {
  name: string;
  text: string;
} {
  return {
    name,
    text: `
    with recursive turn(tenant, first, n) as (
      (select tenant, id, 1 from postrider.email_queue
       where ready and route = $1 and priority = $2 and tenant > $3 order by tenant, id limit 1)
      union all
      select next.tenant, next.id, turn.n + 1
      from turn cross join lateral (
        select q.tenant, q.id from postrider.email_queue q
        where q.ready and q.route = $1 and q.priority = $2 and q.tenant > turn.tenant
        order by q.tenant, q.id limit 1
      ) next
      where turn.n < $4::int
    ), chosen as materialized (
      select x.id, turn.tenant from turn
      cross join lateral (
        select found.id from (
          select q.id from postrider.email_queue q
          where q.id = turn.first and q.ready and q.route = $1 and q.priority = $2
          for update skip locked
        ) found
        union all
        select more.id from (
          select q.id from postrider.email_queue q
          where q.ready and q.route = $1 and q.priority = $2 and q.tenant = turn.tenant and q.id > turn.first
          order by q.id limit $5::int for update skip locked
        ) more
        limit $5::int
      ) x
      where turn.tenant <> all ($6::text[])
      limit $4::int
    ), taken as (
      update postrider.email_queue q
      set ready = false, token = q.token + 1, ${set}
      from chosen c where q.id = c.id
      returning ${returning}
    )
    select t.*, case when c.rows < $4::int then s.last_tenant else c.last_tenant end as last_tenant, s.seen
    from (select max(tenant) as last_tenant, count(tenant)::int as seen from turn) s
    cross join (select max(tenant) as last_tenant, count(*) as rows from chosen) c
    left join taken t on true`,
  };
}
