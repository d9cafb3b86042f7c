import type { Queryable } from '../database.js';
import { callerQueries, hasFunction, isThing, unsupported } from './caller-queries.js';
import { pgState } from './pg-state.js';

/**
 * TypeORM's EntityManager inside a transaction, or the QueryRunner itself. The runner's own connection is used: its
 * `query` answers an update in another shape, and writes our parameters into its log when one fails. TypeORM does not see a `commit` in a
 * statement of the application; the connection or the server does.
 */
export function fromTypeorm(tx: unknown): Queryable | null {
  if (!isThing(tx)) return null;
  const runner = runnerOf(tx);
  if (runner === null) return null;
  if (!runner?.isTransactionActive)
    throw unsupported(
      'tx is a TypeORM connection without a transaction: pass the manager of the transaction.',
    );
  const isOver = () => runner.isReleased || !runner.isTransactionActive;
  return callerQueries(
    async (text, values) => {
      const connection = await runner.connect();
      return connection.query(text, values);
    },
    async () => (isOver() ? 'none' : pgState(await runner.connect())),
  );
}

interface QueryRunner {
  isTransactionActive: boolean;
  isReleased: boolean;
  connect(): Promise<{ query(text: string, values: unknown[]): Promise<unknown> }>;
}

/** Null for what is not TypeORM's, undefined for what is and has no connection of its own. */
function runnerOf(tx: Record<string, unknown>): QueryRunner | null | undefined {
  if (hasFunction(tx, 'startTransaction') && typeof tx.isTransactionActive === 'boolean')
    return tx as unknown as QueryRunner;
  if (hasFunction(tx, 'createQueryRunner')) return undefined;
  if (hasFunction(tx, 'createQueryBuilder') && hasFunction(tx, 'getRepository'))
    return tx.queryRunner as QueryRunner | undefined;
  return null;
}
