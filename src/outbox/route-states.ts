import type { Queryable } from '../store/index.js';

/**
 * The circuits of routes as all processes share them. Every transition names the version it was
 * decided on; one that names an old version changes nothing and is told what holds instead. So a
 * probe is given to exactly one process.
 */
export interface RouteState {
  state: 'closed' | 'open' | 'probing';
  version: number;
  /** Until an open circuit may be probed, or a probe counts as lost. */
  remainingMs: number;
  ageMs: number;
  openings: number;
  reason: string | null;
}

export interface RouteChange {
  from: number;
  to: 'open' | 'closed';
  forMs: number;
  openings: number;
  reason: string | null;
}

export function createRouteStates(database: Queryable) {
  async function one(statement: { name: string; text: string }, values: unknown[]): Promise<StateRow> {
    const { rows } = await database.query<StateRow>(statement, values);
    return rows[0] ?? UNKNOWN_ROUTE;
  }
  return {
    /** Makes the routes of a starting worker known. */
    async register(routes: readonly KnownRoute[]) {
      await database.query(REGISTER, [
        routes.map((route) => route.name),
        routes.map((route) => route.provider),
        routes.map((route) => route.ratePerSecond),
        routes.map(({ companies }) => companies && JSON.stringify(companies)),
        routes.map(({ types }) => types && JSON.stringify(types)),
      ]);
    },
    async read(): Promise<Map<string, RouteState>> {
      const { rows } = await database.query<StateRow>(READ);
      return new Map(rows.map((row) => [row.name, asState(row)]));
    },
    async change(route: string, { from, to, forMs, openings, reason }: RouteChange): Promise<RouteState> {
      return asState(await one(CHANGE, [route, from, to, forMs, openings, reason]));
    },
    async takeProbe(
      route: string,
      version: number,
      forMs: number,
    ): Promise<{ granted: boolean; circuit: RouteState }> {
      const row = await one(TAKE_PROBE, [route, version, forMs]);
      return { granted: row.changed, circuit: asState(row) };
    },
  };
}

interface KnownRoute {
  name: string;
  provider: string;
  ratePerSecond: number | null;
  /** The only ones it serves; null: all. */
  companies: readonly string[] | null;
  types: readonly string[] | null;
}

interface StateRow {
  name: string;
  state: RouteState['state'];
  version: number;
  remaining_ms: number;
  age_ms: number;
  openings: number;
  reason: string | null;
  changed: boolean;
}

/** A row somebody removed: as if nothing had ever gone wrong. */
const UNKNOWN_ROUTE: StateRow = {
  name: '',
  state: 'closed',
  version: 0,
  remaining_ms: 0,
  age_ms: 0,
  openings: 0,
  reason: null,
  changed: false,
};

function asState(row: StateRow): RouteState {
  const { state, version, openings, reason } = row;
  return { state, version, openings, reason, remainingMs: row.remaining_ms, ageMs: row.age_ms };
}

const COLUMNS = `name, state, version, openings, reason,
  greatest(0, extract(epoch from open_until - clock_timestamp()) * 1000)::float8 as remaining_ms,
  greatest(0, extract(epoch from clock_timestamp() - changed_at) * 1000)::float8 as age_ms`;

const REGISTER = {
  name: 'outbox_register_routes',
  text: `
    insert into postrider.routes as r (name, provider, rate_per_second, companies, types)
    select name, provider, rate, companies::jsonb, types::jsonb
    from unnest($1::text[], $2::text[], $3::float8[], $4::text[], $5::text[]) g(name, provider, rate, companies, types)
    on conflict (name) do update
    set provider = excluded.provider, rate_per_second = excluded.rate_per_second, companies = excluded.companies,
      types = excluded.types, started_at = clock_timestamp()`,
};

const READ = { name: 'outbox_route_states', text: `select ${COLUMNS} from postrider.routes` };

/** The row as it is afterwards, and whether this statement made it so. */
const orAsItIs = `
    select ${COLUMNS}, true as changed from changed
    union all
    select ${COLUMNS}, false from postrider.routes where name = $1 and not exists (select 1 from changed)`;

const CHANGE = {
  name: 'outbox_change_route',
  text: `
    with changed as (
      update postrider.routes
      set state = $3, version = version + 1, open_until = clock_timestamp() + $4::float8 * interval '1 millisecond',
        openings = $5::int, reason = $6, changed_at = clock_timestamp()
      where name = $1 and version = $2::int
      returning *
    )${orAsItIs}`,
};

const TAKE_PROBE = {
  name: 'outbox_take_probe',
  text: `
    with changed as (
      update postrider.routes
      set state = 'probing', version = version + 1,
        open_until = clock_timestamp() + $3::float8 * interval '1 millisecond', changed_at = clock_timestamp()
      where name = $1 and version = $2::int and state <> 'closed' and open_until <= clock_timestamp()
      returning *
    )${orAsItIs}`,
};
