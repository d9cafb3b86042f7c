import { type Clock, delay, PostriderError, systemClock } from '../kernel/index.js';
import type { Database, Queryable } from './database.js';
import { sqlStateOf } from './store-errors.js';

/**
 * Runs one step of a migration in a transaction that never waits long for a lock. A step that waits for a table blocks
 * every statement that comes to the table after it, so it gives way after a few seconds, lets those through, and tries
 * again. It tells what it waits for, and gives up in the end with an error that names it.
 */
export async function applyWhenFree<T>(
  database: Database,
  migration: string,
  options: WaitOptions,
  step: (tx: Queryable) => Promise<T>,
): Promise<T> {
  const {
    onProgress = () => {},
    lockTimeoutMs = LOCK_TIMEOUT_MS,
    giveUpAfterMs = GIVE_UP_AFTER_MS,
  } = options;
  const clock = options.clock ?? systemClock;
  const began = clock.monotonic();
  for (let tries = 1; ; tries++) {
    const watch = watchBlockers(database, lockTimeoutMs / 2);
    try {
      return await database.transaction(async (tx) => {
        await tx.query(`set local lock_timeout = ${lockTimeoutMs}`);
        // A limit of the role's is for the application's statements; an index may take longer to build.
        await tx.query('set local statement_timeout = 0');
        await watch.start(tx);
        await tx.query(ONE_MIGRATOR);
        return await step(tx);
      });
    } catch (error) {
      if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      const blockers = watch.found();
      const waitedMs = clock.monotonic() - began;
      const message = describeWaiting(migration, waitedMs, blockers);
      if (waitedMs >= giveUpAfterMs)
        throw new PostriderError('MIGRATION_BLOCKED', `Migration ${message}.`, { cause: error });
      onProgress({ migration, state: 'waiting', waitedMs, blockers, message });
    } finally {
      watch.stop();
    }
    await delay(Math.min(tries * lockTimeoutMs, LONGEST_PAUSE_MS));
  }
}

export interface WaitOptions {
  onProgress?: (progress: MigrationProgress) => void;
  /** How long a step waits for a lock before it gives way. */
  lockTimeoutMs?: number;
  giveUpAfterMs?: number;
  clock?: Clock;
}

export type MigrationProgress =
  | { migration: string; state: 'applied' }
  | { migration: string; state: 'waiting'; waitedMs: number; blockers: Blocker[]; message: string };

/** A session whose lock a migration waits for. */
export interface Blocker {
  pid: number;
  user: string | null;
  application: string | null;
  state: string | null;
  /** How long its transaction is open. */
  openForMs: number;
  /** Its current or last statement, cut; PostgreSQL hides that of another role. */
  query: string | null;
}

const LOCK_NOT_AVAILABLE = '55P03';
const LOCK_TIMEOUT_MS = 3000;
const LONGEST_PAUSE_MS = 10_000;
const GIVE_UP_AFTER_MS = 600_000;
const ONE_MIGRATOR = 'select pg_advisory_xact_lock(7707, 2)';

function describeWaiting(migration: string, waitedMs: number, blockers: readonly Blocker[]): string {
  const seconds = Math.round(waitedMs / 1000);
  const by = blockers.map(describeBlocker).join('; ');
  return `${migration} has waited ${seconds} s for a lock${by === '' ? '' : ` behind ${by}`}`;
}

function describeBlocker({ pid, user, application, state, openForMs, query }: Blocker): string {
  const who = [user, application].filter((part) => part !== null && part !== '').join(', ');
  const open = `open for ${Math.round(openForMs / 1000)} s`;
  return `process ${pid} (${[who, state, open].filter((part) => part !== '' && part !== null).join(', ')}): ${query ?? 'statement hidden'}`;
}

interface BlockerWatch {
  start(tx: Queryable): Promise<void>;
  /** Those last seen. */
  found(): Blocker[];
  stop(): void;
}

/** Asks on another connection, as long as the step runs, which sessions it waits for. */
function watchBlockers(database: Database, everyMs: number): BlockerWatch {
  // The embedded store has one connection: nobody to wait for, and none to ask on.
  if (database.kind !== 'postgres') return { start: async () => {}, found: () => [], stop() {} };
  let timer: NodeJS.Timeout | undefined;
  let blockers: Blocker[] = [];
  return {
    async start(tx) {
      const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      const pid = rows[0]?.pid;
      timer = setInterval(() => {
        database.query<Blocker>(BLOCKERS, [pid]).then(
          (answer) => {
            if (answer.rows.length > 0) blockers = answer.rows;
          },
          // Only the names are lost; whether the step can go on is the step's own to find out.
          () => undefined,
        );
      }, everyMs);
    },
    found: () => blockers,
    stop: () => clearInterval(timer),
  };
}

const BLOCKERS = `
  select pid, usename::text as "user", application_name as application, state,
    greatest(0, extract(epoch from clock_timestamp() - coalesce(xact_start, query_start, backend_start)) * 1000)::float8
      as "openForMs",
    left(regexp_replace(query, '\\s+', ' ', 'g'), 200) as query
  from pg_stat_activity where pid = any (pg_blocking_pids($1::integer))
  order by xact_start nulls last limit 5`;
