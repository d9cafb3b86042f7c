import type { Writable } from 'node:stream';
import type { Logger } from '../kernel/index.js';
import { messageOf } from '../kernel/index.js';
import { arrayLiteral } from './array-literal.js';
import { binaryTextArray } from './binary-text-array.js';
import type { Database, Queryable, Result, Session, Statement } from './database.js';
import pg from './node-postgres.js';
import { postgresTypes } from './postgres-types.js';
import { type BindConfig, sendBind } from './send-bind.js';
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

export interface PostgresOptions {
  url: string;
  poolSize?: number;
  /** Off behind a pooler that cannot keep prepared statements. */
  prepare?: boolean;
  logger?: Logger;
  /** How long a server may keep silent before a call that somebody waits for gives up. */
  patienceMs?: number | undefined;
}

const FREE_CONNECTION_TIMEOUT_MS = 10_000;
/** A server that has stopped answering on an open connection is given up after this. */
const QUERY_TIMEOUT_MS = 60_000;
const SESSION_QUERY_TIMEOUT_MS = 5000;
/** With connecting and the way back it stays within a second. */
const PATIENCE_MS = 800;

function connectWithinMs({ patienceMs = PATIENCE_MS }: Pick<PostgresOptions, 'patienceMs'>): number {
  return patienceMs + 100;
}

/** The pool's own limit covers waiting and connecting; this one only connecting. */
function promptClient(connectionTimeoutMillis: number): typeof pg.Client {
  return class PromptClient extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(typeof config === 'object' ? { ...config, ...hidden(config), connectionTimeoutMillis } : config);
      const connection = connectionOf(this);
      connection.bind = (values) => {
        if (connection.stream.writable) sendBind(connection.stream, values);
      };
    }
  };
}

/** What the driver's clients send by, which its types do not name; `bind` is called for every statement with values. */
interface DriverConnection {
  readonly stream: Writable;
  bind(values: BindConfig): void;
}

function connectionOf(client: pg.ClientBase): DriverConnection {
  return (client as unknown as { connection: DriverConnection }).connection;
}

/** A pool keeps its password where copying does not see it. */
function hidden({ password }: pg.ClientConfig): pg.ClientConfig {
  return password === undefined ? {} : { password };
}

function connectionOptions(options: PostgresOptions): pg.PoolConfig {
  return {
    connectionString: options.url,
    connectionTimeoutMillis: connectWithinMs(options),
    keepAlive: true,
    application_name: 'postrider',
  };
}

function fromPool(
  pool: pg.Pool,
  options: Omit<PostgresOptions, 'url'> & { url?: string },
  end: () => Promise<void>,
): Database {
  const prepare = options.prepare ?? true;
  // A pool of the application's may be of a driver that knows no binary parameters, or makes lists of its own
  // by their types.
  const fast = options.url === undefined ? {} : { ...FAST_LISTS, pipelines: prepare };
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
          const result = await bound(run(client, statement, values, prepare), limitMs);
          silence.heard();
          return result as Result<never>;
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
    async query<Row>(statement: Statement | string, values?: readonly unknown[]) {
      if (limitMs !== null) return hold(limitMs, ({ query }) => query<Row>(statement, values));
      const result = await run<Row>(pool, statement, values, prepare);
      silence.heard();
      return result;
    },
    transaction: (work) =>
      hold(limitMs, async ({ query, discard }) => {
        await query('begin');
        const scope = transactionScope({ ...fast, query });
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
      else await run(pool, sql, undefined, false);
    },
    openSession: () => openSession(pool, options, { prepare, onAnswer: () => silence.heard() }),
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
  /** Keeps the connection from being used again. */
  discard(error: Error): void;
}

async function run<Row>(
  target: pg.Pool | pg.ClientBase,
  statement: Statement | string,
  values: readonly unknown[] | undefined,
  prepare: boolean,
): Promise<Result<Row>> {
  const text = typeof statement === 'string' ? statement : statement.text;
  const name = typeof statement === 'string' || !prepare ? undefined : statement.name;
  try {
    const result = await target.query({
      text,
      name,
      values: values as unknown[] | undefined,
      types: postgresTypes,
    });
    return { rows: result.rows as Row[], rowCount: result.rowCount ?? 0 };
  } catch (error) {
    throw asStoreError(error);
  }
}

/**
 * Keepalives of 2/1/3 s let the server notice a cut-off worker in five seconds instead of two hours.
 */
async function openSession(
  pool: pg.Pool,
  { url, patienceMs }: Pick<PostgresOptions, 'patienceMs'> & { url?: string },
  { prepare, onAnswer }: { prepare: boolean; onAnswer(): void },
): Promise<Session> {
  const settings = url
    ? connectionOptions({ url, patienceMs })
    : { ...pool.options, ...hidden(pool.options), max: undefined };
  const Client = promptClient(connectWithinMs({ patienceMs }));
  const client = new Client({
    ...settings,
    query_timeout: SESSION_QUERY_TIMEOUT_MS,
    application_name: 'postrider-session',
  });
  let closing = false;
  let lost: Error | undefined;
  const watchers: Array<(error: Error) => void> = [];
  const lose = (error: Error) => {
    if (lost || closing) return;
    lost = error;
    for (const fn of watchers) fn(error);
  };
  client.on('error', lose);
  client.on('end', () => lose(new Error('connection ended')));
  const listeners = new Map<string, () => void>();
  client.on('notification', (message) => listeners.get(message.channel)?.());
  try {
    await client.connect();
    await client.query(
      "select set_config('tcp_keepalives_idle', '2', false), set_config('tcp_keepalives_interval', '1', false), set_config('tcp_keepalives_count', '3', false)",
    );
  } catch (error) {
    closing = true;
    client.end().catch((failure: Error) => lose(failure));
    throw asStoreError(error);
  }
  return {
    embedded: false,
    async query<Row>(statement: Statement | string, values?: readonly unknown[]) {
      const result = await run<Row>(client, statement, values, prepare);
      onAnswer();
      return result;
    },
    async listen(channel, onBell) {
      listeners.set(channel, onBell);
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    },
    onLost(fn) {
      if (lost) fn(lost);
      else watchers.push(fn);
    },
    async close() {
      if (closing) return;
      closing = true;
      await client.end();
    },
  };
}
