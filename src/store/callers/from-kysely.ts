import { messageOf } from '../../kernel/index.js';
import type { Queryable } from '../database.js';
import { callerQueries, hasFunction, isThing, notOpen, unsupported } from './caller-queries.js';

/** Kysely's transaction, without its plugins: one that renames columns would rename ours. */
export function fromKysely(tx: unknown): Queryable | null {
  if (!isThing(tx) || !hasFunction(tx, 'executeQuery') || typeof tx.isTransaction !== 'boolean') return null;
  if (!tx.isTransaction) throw unsupported('tx is a Kysely without a transaction: pass the transaction.');
  const bare = (tx as unknown as KyselyTransaction).withoutPlugins();
  return callerQueries(async (sql, parameters) => {
    try {
      // What CompiledQuery.raw makes.
      return await bare.executeQuery({
        sql,
        parameters,
        query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
        queryId: { queryId: 'postrider' },
      });
    } catch (error) {
      throw OVER.test(messageOf(error)) ? notOpen(error) : error;
    }
  });
}

/** Kysely says so from 0.28 on, before it asks the server. */
const OVER = /^Transaction is already (?:committed|rolled back)/;

interface KyselyTransaction {
  withoutPlugins(): { executeQuery(query: object): Promise<unknown> };
}
