import type { Queryable } from '../database.js';
import { callerQueries, hasFunction, isThing, unsupported } from './caller-queries.js';

/** Kysely's transaction, without its plugins: one that renames columns would rename ours. */
export function fromKysely(tx: unknown): Queryable | null {
  if (!isThing(tx) || !hasFunction(tx, 'executeQuery') || typeof tx.isTransaction !== 'boolean') return null;
  if (!tx.isTransaction) throw unsupported('tx is a Kysely without a transaction: pass the transaction.');
  const bare = (tx as unknown as KyselyTransaction).withoutPlugins();
  return callerQueries((sql, parameters) =>
    // What CompiledQuery.raw makes.
    bare.executeQuery({
      sql,
      parameters,
      query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
      queryId: { queryId: 'postrider' },
    }),
  );
}

interface KyselyTransaction {
  withoutPlugins(): { executeQuery(query: object): Promise<unknown> };
}
