import type { Queryable } from '../database.js';
import { callerQueries, hasFunction, isThing, unsupported } from './caller-queries.js';
import { pgState } from './pg-state.js';

/**
 * Knex's transaction: the connection it holds, because `raw` knows only `?`, and a parameter used twice would become
 * two. A transaction that is over gives its connection to others, so it is refused. Knex does not see a `commit` in a
 * raw statement; the connection or the server does.
 */
export function fromKnex(tx: unknown): Queryable | null {
  if (!isThing(tx) || !hasFunction(tx, 'raw') || !isThing(tx.client)) return null;
  if (tx.isTransaction !== true)
    throw unsupported('tx is a Knex without a transaction: pass the transaction.');
  const trx = tx as unknown as KnexTransaction;
  return callerQueries(
    async (text, values) => {
      const connection = await trx.client.acquireConnection();
      return connection.query(text, values);
    },
    async () => (trx.isCompleted() ? 'none' : pgState(await trx.client.acquireConnection())),
  );
}

interface KnexTransaction {
  client: { acquireConnection(): Promise<{ query(text: string, values: unknown[]): Promise<unknown> }> };
  isCompleted(): boolean;
}
