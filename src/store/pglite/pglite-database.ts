import { AsyncLocalStorage } from 'node:async_hooks';
import { PostriderError } from '../../kernel/index.js';
import type { Database, Result, Session, Statement } from '../database.js';
import { asStoreError } from '../store-errors.js';
import type { PgliteConnection } from './pglite-connection.js';

/**
 * The embedded store: same SQL, one connection. A call outside the transaction made from inside it
 * would wait for itself for ever, so it is an error at once.
 */
export function pgliteDatabase(connection: PgliteConnection, onClose: () => Promise<void>): Database {
  const inside = new AsyncLocalStorage<boolean>();
  let closed = false;

  const refuseNested = () => {
    if (inside.getStore()) {
      throw new PostriderError(
        'STORE_NESTED_CALL',
        'A call without { tx } was made inside an open transaction of the embedded store.',
        { field: 'tx' },
      );
    }
  };
  const query = async <Row>(
    statement: Statement | string,
    values?: readonly unknown[],
  ): Promise<Result<Row>> => {
    refuseNested();
    return run<Row>(connection, statement, values);
  };

  return {
    kind: 'pglite',
    query,
    async transaction(work) {
      refuseNested();
      return connection.transaction((tx) =>
        inside.run(true, () =>
          work({ query: <Row>(s: Statement | string, v?: readonly unknown[]) => run<Row>(tx, s, v) }),
        ),
      );
    },
    async script(sql, tx) {
      if (tx) await tx.query(SCRIPT + sql);
      else await connection.exec(sql);
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
    async close() {
      if (closed) return;
      closed = true;
      await onClose();
    },
  };
}

/** Marks a text of several statements, which the extended protocol of `query` cannot run. */
const SCRIPT = '-- script\n';

async function run<Row>(
  target: Pick<PgliteConnection, 'query' | 'exec'>,
  statement: Statement | string,
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
