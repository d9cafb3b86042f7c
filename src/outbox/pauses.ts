import { type Clock, killPoint, PostriderError } from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';

/**
 * Sending can be paused for all, a tenant, a type or a route. Claims skip paused routes and tenants
 * without touching their rows; rows of a paused type are set aside as they come up.
 */
export type PauseScope = 'all' | 'tenant' | 'type' | 'route';

export interface Pause {
  scope: PauseScope;
  value: string;
  reason: string | null;
  /** Whether webhooks, bus events and schedules are held too; only where the scope is all. */
  events: boolean;
  createdAt: Date;
}

export interface Pauses {
  all: boolean;
  events: boolean;
  tenants: string[];
  types: Set<string>;
  routes: Set<string>;
}

const SCOPES: readonly string[] = ['all', 'tenant', 'type', 'route'];

export async function pauseSending(
  database: Queryable,
  scope: PauseScope,
  value: string,
  options: { reason?: string; by?: string; events?: boolean } = {},
): Promise<void> {
  checkScope(scope, value);
  await database.query(
    `insert into postrider.pauses (scope, value, reason, created_by, events) values ($1, $2, $3, $4, $5)
     on conflict (scope, value) do update set reason = coalesce(excluded.reason, postrider.pauses.reason),
       events = excluded.events or postrider.pauses.events`,
    [
      scope,
      scope === 'all' ? '' : value,
      options.reason ?? null,
      options.by ?? null,
      scope === 'all' && (options.events ?? false),
    ],
  );
}

/** Lifts a pause and brings back what it had set aside, in batches; returns how many rows. */
export async function resumeSending(database: Database, scope: PauseScope, value: string): Promise<number> {
  checkScope(scope, value);
  await database.query('delete from postrider.pauses where scope = $1 and value = $2', [
    scope,
    scope === 'all' ? '' : value,
  ]);
  killPoint('resume:lifted');
  let total = 0;
  for (;;) {
    const count = await bringBackParked(database);
    total += count;
    if (count < UNPARK_BATCH) break;
  }
  // A deferred trigger rings only for inserts.
  await database.query("select pg_notify('postrider_bell', '')");
  return total;
}

/** One batch of rows whose pause is no longer there; the sweeper does what a resume did not finish. */
export async function bringBackParked(database: Queryable): Promise<number> {
  const { rowCount } = await database.query(UNPARK, [UNPARK_BATCH]);
  return rowCount;
}

export async function listPauses(database: Queryable): Promise<Pause[]> {
  const { rows } = await database.query<{
    scope: PauseScope;
    value: string;
    reason: string | null;
    events: boolean;
    created_at: Date;
  }>({
    name: 'outbox_pauses',
    text: 'select scope, value, reason, events, created_at from postrider.pauses order by scope, value',
  });
  return rows.map((row) => ({
    scope: row.scope,
    value: row.value,
    reason: row.reason,
    events: row.events,
    createdAt: row.created_at,
  }));
}

export async function readPauses(database: Queryable): Promise<Pauses> {
  const list = await listPauses(database);
  const values = (scope: PauseScope) => list.filter((p) => p.scope === scope).map((p) => p.value);
  return {
    all: values('all').length > 0,
    events: list.some((pause) => pause.events),
    tenants: values('tenant'),
    types: new Set(values('type')),
    routes: new Set(values('route')),
  };
}

/** Reads pauses at most four times a second, however often it is asked. */
export function createPauseReader(database: Queryable, clock: Clock): () => Promise<Pauses> {
  let last: { at: number; read: Promise<Pauses> } | null = null;
  return () => {
    const now = clock.monotonic();
    if (!last || now - last.at > PAUSES_FRESH_MS) {
      const read = readPauses(database);
      last = { at: now, read };
      read.catch(() => {
        last = null;
      });
    }
    return last.read;
  };
}

/** Whether webhooks, bus events and schedules are held, for services that open the store when they need it. */
export function createHoldReader(database: () => Promise<Database>, clock: Clock): () => Promise<boolean> {
  let read: (() => Promise<Pauses>) | null = null;
  return async () => {
    read ??= createPauseReader(await database(), clock);
    return (await read()).events;
  };
}

const PAUSES_FRESH_MS = 250;

function checkScope(scope: string, value: string): void {
  if (!SCOPES.includes(scope)) {
    throw new PostriderError('INVALID_PAYLOAD', `A pause is for all, tenant, type or route, not ${scope}.`, {
      field: 'scope',
    });
  }
  if (scope !== 'all' && value === '') {
    throw new PostriderError('INVALID_PAYLOAD', `Say which ${scope} to pause.`, { field: 'value' });
  }
}

const UNPARK_BATCH = 5000;

// A loose scan over the few pauses that hold anything: a million rows under another one cost nothing.
const UNPARK = {
  name: 'outbox_unpark',
  text: `
    with recursive held(by) as (
      (select parked_by from postrider.email_queue where parked order by parked_by limit 1)
      union all
      select (select q.parked_by from postrider.email_queue q
              where q.parked and q.parked_by > held.by order by q.parked_by limit 1)
      from held where held.by is not null
    ), lifted as materialized (
      select by from held where by is not null
        and not exists (select 1 from postrider.pauses p where p.scope || ':' || p.value = held.by)
    ), back as materialized (
      select x.id from lifted cross join lateral (
        select q.id from postrider.email_queue q where q.parked and q.parked_by = lifted.by and q.owner is null
        order by q.id limit $1::int for update skip locked
      ) x limit $1::int
    )
    update postrider.email_queue q
    set parked = false, parked_by = null, ready = not q.suspect and q.due_at is null
    from back where q.id = back.id returning q.id`,
};
