import { PostriderError } from '../../kernel/index.js';
import type { Queryable, Result, Statement } from '../database.js';
import { asStoreError, sqlStateOf } from '../store-errors.js';

/**
 * What every kind of caller's transaction has in common: one function that runs a text with values. Times are given
 * as text, because what a Date becomes depends on what the application has told its driver. Nothing runs outside an
 * open transaction, where each statement would be committed by itself: before every statement the driver's own state
 * is read, and where the driver has none, the server is asked once before the first.
 */
export function callerQueries(
  run: (text: string, values: unknown[]) => Promise<unknown>,
  state: () => TransactionState | Promise<TransactionState> = () => 'unknown',
): Queryable {
  let asked: Promise<unknown> | null = null;

  async function requireOpen(): Promise<void> {
    const known = await state();
    if (known === 'none') throw notOpen();
    if (known === 'aborted') throw aborted();
    if (known !== 'unknown') return;
    asked ??= run(ONLY_IN_TRANSACTION, []);
    await asked;
  }

  return {
    async query<Row>(statement: Statement | string, values: readonly unknown[] = []): Promise<Result<Row>> {
      const text = typeof statement === 'string' ? statement : statement.text;
      const given = values.map((value) => (value instanceof Date ? value.toISOString() : value));
      try {
        await requireOpen();
        return asResult<Row>(await run(text, given));
      } catch (error) {
        throw asCallerError(error);
      }
    },
  };
}

/** What the driver knows: `aborted` after a statement that failed, `unknown` where it does not tell. */
export type TransactionState = 'open' | 'aborted' | 'none' | 'unknown';

export function hasFunction(value: unknown, name: string): boolean {
  return isThing(value) && typeof value[name] === 'function';
}

export function isThing(value: unknown): value is Record<string, unknown> {
  return value !== null && (typeof value === 'object' || typeof value === 'function');
}

export function unsupported(message: string, cause?: unknown): PostriderError {
  return new PostriderError('UNSUPPORTED_TRANSACTION', message, { field: 'tx', cause });
}

export function notOpen(cause?: unknown): PostriderError {
  return unsupported('tx is in no open transaction: it has not begun, or it is over.', cause);
}

// Refused by the server outside a transaction, by any protocol and in one statement. A savepoint would be too, but
// takes a second statement to be released. Nothing else locks this table, and every role that sends may read it.
const ONLY_IN_TRANSACTION = 'lock table postrider.schema_migrations in access share mode';

function asCallerError(error: unknown): unknown {
  if (error instanceof PostriderError) return error;
  const sqlState = sqlStateOf(error);
  if (sqlState === '25P01') return notOpen(error);
  if (sqlState === '25P02') return aborted(error);
  return asStoreError(error);
}

function aborted(cause?: unknown): PostriderError {
  return new PostriderError('TRANSACTION_ABORTED', 'An earlier statement of the transaction tx has failed.', {
    field: 'tx',
    cause,
  });
}

function asResult<Row>(answer: unknown): Result<Row> {
  const rows = Array.isArray(answer) ? answer : (answer as { rows?: unknown } | null)?.rows;
  if (!Array.isArray(rows)) throw unsupported('tx.query answered without rows.');
  return { rows: rows as Row[], rowCount: rows.length };
}
