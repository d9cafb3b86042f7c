import { PostriderError } from '../../kernel/index.js';
import type { Queryable, Result, Statement } from '../database.js';

/**
 * What every kind of caller's transaction has in common: one function that runs a text with values. Times are given
 * as text, because what a Date becomes depends on what the application has told its driver.
 */
export function callerQueries(run: (text: string, values: unknown[]) => Promise<unknown>): Queryable {
  return {
    async query<Row>(statement: Statement | string, values: readonly unknown[] = []): Promise<Result<Row>> {
      const text = typeof statement === 'string' ? statement : statement.text;
      const given = values.map((value) => (value instanceof Date ? value.toISOString() : value));
      return asResult<Row>(await run(text, given));
    },
  };
}

export function hasFunction(value: unknown, name: string): boolean {
  return isThing(value) && typeof value[name] === 'function';
}

export function isThing(value: unknown): value is Record<string, unknown> {
  return value !== null && (typeof value === 'object' || typeof value === 'function');
}

export function unsupported(message: string): PostriderError {
  return new PostriderError('UNSUPPORTED_TRANSACTION', message, { field: 'tx' });
}

function asResult<Row>(answer: unknown): Result<Row> {
  const rows = Array.isArray(answer) ? answer : (answer as { rows?: unknown } | null)?.rows;
  if (!Array.isArray(rows)) throw unsupported('tx.query answered without rows.');
  return { rows: rows as Row[], rowCount: rows.length };
}
