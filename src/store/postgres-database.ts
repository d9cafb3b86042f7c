import { messageOf } from '../kernel/index.js';
import { arrayLiteral } from './array-literal.js';
import { binaryTextArray } from './binary-text-array.js';
import type { CopyRows } from './copy-rows.js';
import type { Database, Queryable, Result, Statement } from './database.js';
import pg from './node-postgres.js';
import {
  connectionOf,
  connectionOptions,
  connectWithinMs,
  PATIENCE_MS,
  type PostgresOptions,
  promptClient,
  run,
  runCopy,
} from './postgres-client.js';
import { openSession } from './postgres-session.js';
import { ServerSilence } from './server-silence.js';
import { giveBack } from './spare-buffers.js';
import { asStoreError, isStoreAway } from './store-errors.js';
import { transactionScope } from './transaction-scope.js';

/**
 * PostgreSQL through a pool. Fails within a second when the server is away, never exits the
 * process for a lost idle connection, and gives broken connections back as broken.
 */
export function openPostgres(options: PostgresOptions): Database {
  const pool = new pg.Pool({
    ...connectionOptions(options),
    max: options.poolSize ?? 10,
    // Waiting for a free connection under load is no sign that the server is away.
    connectionTimeoutMillis: FREE_CONNECTION_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    pipeline: options.prepare ?? true,
    Client: promptClient(connectWithinMs(options)),
  });
  pool.on('error', (error) =>
    options.logger?.warn({ err: messageOf(error) }, 'idle database connection lost'),
  );
  return fromPool(pool, options, () => pool.end());
}

/** The application's own pool; it stays the application's to end. */
export function fromPgPool(pool: pg.Pool, options: Omit<PostgresOptions, 'url'> = {}): Database {
  return fromPool(pool, options, async () => {});
}

const FREE_CONNECTION_TIMEOUT_MS = 10_000;
/** A server that has stopped answering on an open connection is given up after this. */
const QUERY_TIMEOUT_MS = 60_000;
function fromPool(
  pool: pg.Pool,
  options: Omit<PostgresOptions, 'url'> & { url?: string },
  end: () => Promise<void>,
): Database {
  const prepare = options.prepare ?? true;
  // A pool of the application's may be of a driver that knows no binary parameters, or makes lists of its own
  // by their types.
  const ours = options.url !== undefined && prepare;
  const fast = options.url === undefined ? {} : { ...FAST_LISTS, pipelines: prepare };
  const how = { prepare, ours };
  const silence = new ServerSilence();
  const bound = <T>(work: Promise<T>, limitMs: number | null) =>
    limitMs === null ? work : silence.bound(work, limitMs);
  let closed = false;

  async function acquire(limitMs: number | null): Promise<pg.PoolClient> {
    const connecting = pool.connect();
    try {
      return await bound(connecting, limitMs);
    } catch (error) {
      // A connection that comes after all goes back; why it did not come is told below.
      connecting.then(
        (late) => late.release(),
        () => undefined,
      );
      throw asStoreError(error);
    }
  }

  /** What failed because the server is away leaves its connection in a state nobody knows: it is not used again. */
  async function hold<T>(limitMs: number | null, work: (held: Held) => Promise<T>): Promise<T> {
    const client = await acquire(limitMs);
    let broken: Error | undefined;
    const discard = (error: Error) => {
      broken ??= error;
    };
    client.on('error', discard);
    try {
      return await work({
        query: async (statement, values) => {
          const result = await bound(run(client, statement, values, how), limitMs);
          silence.heard();
          return result as Result<never>;
        },
        copy: async (statements, rows) => {
          await bound(runCopy(client, statements, rows), limitMs);
          silence.heard();
        },
        discard,
      });
    } catch (error) {
      if (isStoreAway(error)) discard(error as Error);
      throw error;
    } finally {
      client.off('error', discard);
      // A client that sends ahead would wait a minute for its answers before it ends, and those in line for its place with it.
      if (broken && options.url !== undefined) connectionOf(client).stream.destroy();
      client.release(broken ?? false);
    }
  }

  const withLimit = (limitMs: number | null): Database => ({
    kind: 'postgres',
    ...fast,
    ...(ours ? { copy: (statements, rows) => hold(limitMs, ({ copy }) => copy(statements, rows)) } : {}),
    async query<Row>(statement: Statement | string, values?: readonly unknown[]) {
      if (limitMs !== null) return hold(limitMs, ({ query }) => query<Row>(statement, values));
      const result = await run<Row>(pool, statement, values, how);
      silence.heard();
      return result;
    },
    transaction: (work) =>
      hold(limitMs, async ({ query, copy, discard }) => {
        await query('begin');
        const scope = transactionScope({ ...fast, query, ...(ours ? { copy } : {}) });
        try {
          const result = await work(scope.tx);
          scope.end();
          await query('commit');
          return result;
        } catch (error) {
          scope.end();
          if (!isStoreAway(error)) await query('rollback').catch(discard);
          throw error;
        }
      }),
    async script(sql, tx) {
      if (tx) await tx.query(sql);
      else await run(pool, sql, undefined, { ...how, prepare: false });
    },
    openSession: () => openSession(pool, options, { how, onAnswer: () => silence.heard() }),
    prompt: (extraMs = 0) => withLimit((options.patienceMs ?? PATIENCE_MS) + extraMs),
    async close() {
      if (closed) return;
      closed = true;
      await end();
    },
  });
  return withLimit(null);
}

const FAST_LISTS: Pick<Queryable, 'textArray' | 'list' | 'release'> = {
  textArray: binaryTextArray,
  list: arrayLiteral,
  release: (list) => {
    if (Buffer.isBuffer(list)) giveBack(list);
  },
};

/** A connection of the pool while one call has it. */
interface Held extends Queryable {
  copy(statements: string, rows: CopyRows): Promise<void>;
  /** Keeps the connection from being used again. */
  discard(error: Error): void;
}
