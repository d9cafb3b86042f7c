import type { Writable } from 'node:stream';
import type { Logger } from '../kernel/index.js';
import { CopyQuery } from './copy-query.js';
import type { CopyRows } from './copy-rows.js';
import type { LongStatement, Result, Statement } from './database.js';
import pg from './node-postgres.js';
import type { PlannerSettings } from './planner-settings.js';
import { postgresTypes } from './postgres-types.js';
import { PreparedQuery } from './prepared-query.js';
import { type BindConfig, sendBind } from './send-bind.js';
import { asStoreError } from './store-errors.js';

/** How PostgreSQL is reached and asked, by a pool and by sessions alike. */
export interface PostgresOptions {
  url: string;
  poolSize?: number;
  /** Off behind a pooler that cannot keep prepared statements. */
  prepare?: boolean;
  logger?: Logger;
  /** How long a server may keep silent before a call that somebody waits for gives up. */
  patienceMs?: number | undefined;
}

/** With connecting and the way back it stays within a second. */
export const PATIENCE_MS = 800;

export function connectWithinMs({ patienceMs = PATIENCE_MS }: Pick<PostgresOptions, 'patienceMs'>): number {
  return patienceMs + 100;
}

/** The pool's own limit covers waiting and connecting; this one only connecting. */
export function promptClient(connectionTimeoutMillis: number, planner?: PlannerSettings): typeof pg.Client {
  return class PromptClient extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(typeof config === 'object' ? { ...config, ...hidden(config), connectionTimeoutMillis } : config);
      planner?.addTo(this);
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

export function connectionOf(client: pg.ClientBase): DriverConnection {
  return (client as unknown as { connection: DriverConnection }).connection;
}

/** A pool keeps its password where copying does not see it. */
export function hidden({ password }: pg.ClientConfig): pg.ClientConfig {
  return password === undefined ? {} : { password };
}

export function connectionOptions(options: PostgresOptions): pg.PoolConfig {
  return {
    connectionString: options.url,
    connectionTimeoutMillis: connectWithinMs(options),
    keepAlive: true,
    application_name: 'postrider',
  };
}

export async function run<Row>(
  target: pg.Pool | pg.ClientBase,
  statement: Statement | LongStatement | string,
  values: readonly unknown[] | undefined,
  how: { prepare: boolean; ours: boolean },
): Promise<Result<Row>> {
  try {
    const result = await ask(target, statement, values, how);
    return { rows: result.rows as Row[], rowCount: result.rowCount ?? 0 };
  } catch (error) {
    throw asStoreError(fromHere(error));
  }
}

function ask(
  target: pg.Pool | pg.ClientBase,
  statement: Statement | LongStatement | string,
  values: readonly unknown[] | undefined,
  { prepare, ours }: { prepare: boolean; ours: boolean },
): Promise<pg.QueryResult> {
  if (typeof statement === 'object' && 'limitMs' in statement) {
    return target.query({ text: statement.text, query_timeout: statement.limitMs } as pg.QueryConfig);
  }
  if (typeof statement === 'string' || !prepare || !ours) {
    const { text, name } = typeof statement === 'string' ? { text: statement, name: undefined } : statement;
    const config = { text, name: prepare ? name : undefined, values: values as unknown[] | undefined };
    return target.query({ ...config, types: postgresTypes });
  }
  return new Promise((resolve, reject) => {
    const query = new PreparedQuery(statement, values);
    target.query(query as unknown as string, undefined as unknown as [], (error, result) =>
      error ? reject(error) : resolve(result),
    );
  });
}

export async function runCopy(client: pg.ClientBase, statements: string, rows: CopyRows): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      client.query(new CopyQuery(statements, rows, (error) => (error ? reject(error) : resolve())));
    });
  } catch (error) {
    throw asStoreError(fromHere(error));
  }
}

/** The driver made it where it read the answer, which tells nothing of who asked. */
function fromHere(error: unknown): unknown {
  if (error instanceof Error) Error.captureStackTrace(error);
  return error;
}
