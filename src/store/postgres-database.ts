import { messageOf } from '../kernel/index.js';
import { arrayLiteral } from './array-literal.js';
import { binaryTextArray } from './binary-text-array.js';
import type { CopyRows } from './copy-rows.js';
import type { Database, LongStatement, Pooling, Queryable, Result, Statement } from './database.js';
import { examinePooling } from './examine-pooling.js';
import pg from './node-postgres.js';
import { PlannerSettings } from './planner-settings.js';
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
import { type ClientOptions, createClient, openSession } from './postgres-session.js';
import { ServerSilence } from './server-silence.js';
import { giveBack } from './spare-buffers.js';
import { asStoreError, isStatementLost, isStoreAway } from './store-errors.js';
import { transactionScope } from './transaction-scope.js';

/**
 * PostgreSQL through a pool. Fails within a second when the server is away, never exits the
 * process for a lost idle connection, and gives broken connections back as broken.
 */
export function openPostgres(options: PostgresOptions): Database {
  const planner = new PlannerSettings();
  const pool = new pg.Pool({
    ...connectionOptions(options),
    max: options.poolSize ?? 10,
    // Waiting for a free connection under load is no sign that the server is away.
    connectionTimeoutMillis: FREE_CONNECTION_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    pipeline: options.prepare ?? true,
    Client: promptClient(connectWithinMs(options), planner),
    verify: planner.verify,
  });
  pool.on('error', (error) =>
    options.logger?.warn({ err: messageOf(error) }, 'idle database connection lost'),
  );
  return fromPool(pool, { ...options, planner }, () => pool.end());
}

/** The application's own pool; it stays the application's to end. */
export function fromPgPool(pool: pg.Pool, options: Omit<PostgresOptions, 'url'> = {}): Database {
  return fromPool(pool, options, async () => {});
}

const FREE_CONNECTION_TIMEOUT_MS = 10_000;
/** A server that has stopped answering on an open connection is given up after this. */
const QUERY_TIMEOUT_MS = 60_000;
/** Building an index over a full log takes minutes. */
const SCRIPT_LIMIT_MS = 24 * 3_600_000;
function fromPool(
  pool: pg.Pool,
  options: Omit<PostgresOptions, 'url'> & ClientOptions,
  end: () => Promise<void>,
): Database {
  const connecting = <T>(connect: () => Promise<T>): Promise<T> =>
    options.planner ? options.planner.connecting(connect) : connect();
  const prepare = options.prepare ?? true;
  // A pool of the application's may be of a driver that knows no binary parameters, or makes lists of its own
  // by their types.
  const how = { prepare, ours: options.url !== undefined && prepare };
  /** Poolers that share connections have had faults with what is sent ahead and with COPY. */
  let shared = false;
  const ahead = () => how.ours && !shared;
  const lists = options.url === undefined ? {} : FAST_LISTS;
  const silence = new ServerSilence();
  const bound = <T>(work: Promise<T>, limitMs: number | null) =>
    limitMs === null ? work : silence.bound(work, limitMs);
  let closed = false;
  let examined: Promise<Pooling | null> | null = null;

  /**
   * A statement that a pooler has lost was not begun: outside a transaction it is put again, unprepared, as all are from
   * then on.
   */
  async function ask<Row>(
    target: pg.Pool | pg.ClientBase,
    statement: Statement | LongStatement | string,
    values: readonly unknown[] | undefined,
    { inTransaction = false } = {},
  ): Promise<Result<Row>> {
    const prepared = how.prepare && typeof statement !== 'string' && 'name' in statement;
    try {
      const result = await connecting(() => run<Row>(target, statement, values, how));
      silence.heard();
      return result;
    } catch (error) {
      if (!prepared || !isStatementLost(error)) throw error;
      stopPreparing(messageOf(error));
      if (inTransaction) throw error;
      return run<Row>(target, statement, values, how);
    }
  }

  function stopPreparing(because: string): void {
    if (!how.prepare) return;
    how.prepare = false;
    how.ours = false;
    options.logger?.warn({ because }, STATEMENTS_LOST);
  }

  async function examine(): Promise<Pooling | null> {
    const limitMs = options.patienceMs ?? PATIENCE_MS;
    const log = (error: unknown) => options.logger?.warn({ err: messageOf(error) }, NOT_EXAMINED);
    const connect = async () => {
      const client = createClient(pool, options, 'postrider-pooling');
      client.on('error', log);
      try {
        await client.connect();
        return client;
      } catch (error) {
        client.end().catch(log);
        throw error;
      }
    };
    // The application's pool may be of a driver that connects in another way.
    const beside = await connecting(connect).catch((error: unknown) => {
      log(error);
      return null;
    });
    if (beside === null) return null;
    const asking = (client: pg.ClientBase): Queryable => ({
      query: (statement, values) => bound(run(client, statement, values, how), limitMs),
    });
    try {
      const found = await hold(limitMs, async ({ client }) => {
        const pooling = await examinePooling(asking(client), asking(beside), { prepare: how.prepare });
        // Behind a pooler that shares connections they would be somebody else's.
        if (options.planner && !pooling.shared) await bound(options.planner.ensure(client), limitMs);
        return pooling;
      });
      shared = found.shared;
      if (how.prepare && !found.keepsStatements) stopPreparing('two connections were tried');
      return found;
    } catch (error) {
      if (!isStoreAway(error)) throw asStoreError(error);
      log(error);
      return null;
    } finally {
      // A server that hangs answers no goodbye.
      beside.end().catch(log);
    }
  }

  async function acquire(limitMs: number | null): Promise<pg.PoolClient> {
    const acquiring = connecting(() => pool.connect());
    try {
      return await bound(acquiring, limitMs);
    } catch (error) {
      // A connection that comes after all goes back; why it did not come is told below.
      acquiring.then(
        (late) => late.release(),
        () => undefined,
      );
      throw asStoreError(error);
    }
  }

  /** What failed because the server is away leaves its connection in a state nobody knows: it is not used again. */
  async function hold<T>(
    limitMs: number | null,
    work: (held: Held) => Promise<T>,
    how: { inTransaction?: boolean } = {},
  ): Promise<T> {
    const client = await acquire(limitMs);
    let broken: Error | undefined;
    const discard = (error: Error) => {
      broken ??= error;
    };
    client.on('error', discard);
    try {
      return await work({
        client,
        query: (statement, values) => bound(ask(client, statement, values, how), limitMs),
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
    ...lists,
    get pipelines() {
      return ahead();
    },
    get copy() {
      return ahead()
        ? (statements: string, rows: CopyRows) => hold(limitMs, ({ copy }) => copy(statements, rows))
        : undefined;
    },
    async query<Row>(statement: Statement | LongStatement | string, values?: readonly unknown[]) {
      if (limitMs !== null) return hold(limitMs, ({ query }) => query<Row>(statement, values));
      return ask<Row>(pool, statement, values);
    },
    transaction: (work) =>
      hold(
        limitMs,
        async ({ query, copy, discard }) => {
          await query('begin');
          const scope = transactionScope({
            ...lists,
            ...{ pipelines: ahead(), query },
            ...(ahead() && { copy }),
          });
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
        },
        { inTransaction: true },
      ),
    async script(sql, tx) {
      const script = { text: sql, limitMs: SCRIPT_LIMIT_MS };
      if (tx) await tx.query(script);
      else await connecting(() => run(pool, script, undefined, how));
    },
    async openSession() {
      const known = await examined?.catch(() => null);
      return connecting(() => openSession(pool, options, { ask, own: !known?.shared }));
    },
    async pooling() {
      examined ??= examine();
      try {
        const found = await examined;
        if (!found) examined = null;
        return found;
      } catch (error) {
        examined = null;
        throw error;
      }
    },
    prompt: (extraMs = 0) => withLimit((options.patienceMs ?? PATIENCE_MS) + extraMs),
    async close() {
      if (closed) return;
      closed = true;
      await end();
    },
  });
  return withLimit(null);
}

const STATEMENTS_LOST =
  'a connection pooler does not keep prepared statements: they are no longer used; set POSTRIDER_DATABASE_PREPARE=false';

const NOT_EXAMINED = 'it could not be found out whether a pooler shares connections';

const FAST_LISTS: Pick<Queryable, 'textArray' | 'list' | 'release'> = {
  textArray: binaryTextArray,
  list: arrayLiteral,
  release: (list) => {
    if (Buffer.isBuffer(list)) giveBack(list);
  },
};

/** A connection of the pool while one call has it. */
interface Held extends Queryable {
  readonly client: pg.PoolClient;
  copy(statements: string, rows: CopyRows): Promise<void>;
  /** Keeps the connection from being used again. */
  discard(error: Error): void;
}
