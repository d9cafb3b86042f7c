import { PostriderError } from '../kernel/index.js';
import type { Queryable, Result } from './database.js';

/**
 * Makes one Queryable of whatever transaction object the application holds. It never begins, commits
 * or rolls back, and never prepares statements: the connection is the caller's.
 */
export function callerTransaction(tx: unknown): Queryable {
  if (hasFunction(tx, 'connect') && typeof (tx as { totalCount?: unknown }).totalCount === 'number') {
    throw new PostriderError(
      'UNSUPPORTED_TRANSACTION',
      'tx is a pool: pass the client on which you said begin.',
      {
        field: 'tx',
      },
    );
  }
  if (hasFunction(tx, 'unsafe')) return fromPostgresJs(tx as unknown as PostgresJsTransaction);
  if (hasFunction(tx, 'query')) return fromQuery(tx as unknown as QueryTransaction);
  throw new PostriderError('UNSUPPORTED_TRANSACTION', 'The object passed as tx cannot run a query.', {
    field: 'tx',
  });
}

interface QueryTransaction {
  query(text: string, values: unknown[]): Promise<unknown>;
}

interface PostgresJsTransaction {
  unsafe(text: string, values: unknown[]): Promise<unknown>;
}

/** pg's client, PGlite's transaction, or any `{ query(text, values) }`. */
function fromQuery(tx: QueryTransaction): Queryable {
  return {
    async query<Row>(
      statement: { text: string } | string,
      values: readonly unknown[] = [],
    ): Promise<Result<Row>> {
      const answer = await tx.query(typeof statement === 'string' ? statement : statement.text, [...values]);
      return asResult<Row>(answer);
    },
  };
}

function fromPostgresJs(tx: PostgresJsTransaction): Queryable {
  return {
    async query<Row>(
      statement: { text: string } | string,
      values: readonly unknown[] = [],
    ): Promise<Result<Row>> {
      const answer = await tx.unsafe(typeof statement === 'string' ? statement : statement.text, [...values]);
      return asResult<Row>(answer);
    },
  };
}

function asResult<Row>(answer: unknown): Result<Row> {
  const rows = Array.isArray(answer) ? answer : (answer as { rows?: unknown } | null)?.rows;
  if (!Array.isArray(rows)) {
    throw new PostriderError('UNSUPPORTED_TRANSACTION', 'tx.query answered without rows.', { field: 'tx' });
  }
  return { rows: rows as Row[], rowCount: rows.length };
}

function hasFunction(value: unknown, name: string): boolean {
  return (
    value !== null &&
    (typeof value === 'object' || typeof value === 'function') &&
    typeof (value as Record<string, unknown>)[name] === 'function'
  );
}
