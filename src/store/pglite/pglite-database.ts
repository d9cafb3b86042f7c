import { AsyncLocalStorage } from 'node:async_hooks';
import { delay, PostriderError } from '../../kernel/index.js';
import type { Database, LongStatement, Result, Session, Statement } from '../database.js';
import { asStoreError } from '../store-errors.js';
import { type TransactionScope, transactionScope } from '../transaction-scope.js';
import type { PgliteConnection } from './pglite-connection.js';

/**
 * The embedded store: same SQL, one connection. A call outside the transaction made from inside it
 * would wait for itself for ever, so it is an error: at once inside a transaction of ours, after a wait
 * inside one of the application's own, which cannot be told from another's that takes long.
 */
export function pgliteDatabase(connection: PgliteConnection, options: PgliteOptions): Database {
  const inside = new AsyncLocalStorage<TransactionScope>();
  let closed = false;

  const withTurn = (takeTurn: () => Promise<void>): Database => {
    const enter = async () => {
      if (inside.getStore()?.open)
        throw nestedCall('A call without { tx } was made inside an open transaction.');
      await options.check?.();
      await takeTurn();
    };
    const query = async <Row>(
      statement: Statement | LongStatement | string,
      values?: readonly unknown[],
    ): Promise<Result<Row>> => {
      await enter();
      return run<Row>(connection, statement, values);
    };
    return {
      kind: 'pglite',
      query,
      async transaction(work) {
        await enter();
        return connection.transaction(async (tx) => {
          const scope = transactionScope({ query: (statement, values) => run(tx, statement, values) });
          try {
            const result = await inside.run(scope, () => work(scope.tx));
            await options.check?.();
            return result;
          } finally {
            scope.end();
          }
        });
      },
      async script(sql, tx) {
        if (tx) {
          await tx.query(SCRIPT + sql);
          return;
        }
        await enter();
        await connection.exec(sql);
      },
      async openSession(): Promise<Session> {
        return {
          embedded: true,
          query,
          async listen(channel, onBell) {
            await connection.listen(channel, () => onBell());
          },
          onLost() {},
          async close() {},
        };
      },
      pooling: async () => ({ shared: false, keepsStatements: false }),
      prompt: () => (options.patienceMs === undefined ? plain : prompt),
      async close() {
        if (closed) return;
        closed = true;
        await options.onClose();
      },
    };
  };
  // What is given up is a question without effect: nothing is written later on behalf of a call that has failed.
  const prompt = withTurn(() => within(options.patienceMs ?? 0, connection.query('select 1')));
  const plain = withTurn(async () => {});
  return plain;
}

export interface PgliteOptions {
  /** Throws where what is written would be lost. */
  check?(): Promise<void>;
  onClose(): Promise<void>;
  /** How long a prompt call waits for its turn on an instance that others use too. */
  patienceMs?: number;
}

async function within(ms: number, turn: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const late = delay(ms, over.signal).then(() => {
    if (over.signal.aborted) return;
    throw nestedCall(`The application's PGlite has been in a transaction for ${ms} ms.`);
  });
  try {
    await Promise.race([turn, late]);
  } finally {
    over.abort();
  }
}

function nestedCall(message: string): PostriderError {
  return new PostriderError('STORE_NESTED_CALL', message, { field: 'tx' });
}

/** Marks a text of several statements, which the extended protocol of `query` cannot run. */
const SCRIPT = '-- script\n';

async function run<Row>(
  target: Pick<PgliteConnection, 'query' | 'exec'>,
  statement: Statement | LongStatement | string,
  values: readonly unknown[] | undefined,
): Promise<Result<Row>> {
  const text = typeof statement === 'string' ? statement : statement.text;
  try {
    if (text.startsWith(SCRIPT)) {
      await target.exec(text);
      return { rows: [], rowCount: 0 };
    }
    const result = await target.query(text, values as unknown[] | undefined);
    return { rows: result.rows as Row[], rowCount: Math.max(result.affectedRows ?? 0, result.rows.length) };
  } catch (error) {
    throw asStoreError(error);
  }
}
