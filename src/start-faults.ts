import { type ErrorCode, isPostriderError, messageOf } from './kernel/index.js';

/** Why a worker could not begin: what a person must put right, what passes, and what the log says of either. */
export function faultFields(error: unknown): object {
  return { err: messageOf(error), code: isPostriderError(error) ? error.code : undefined };
}

/** A setting, the database or a broker must be put right by a person. */
export function isPermanent(error: unknown): boolean {
  return isPostriderError(error) && PERMANENT.has(error.code);
}

const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'STORE_UNAVAILABLE',
  'STORE_BUSY',
  'MIGRATION_BLOCKED',
  'STORE_STATEMENT_LOST',
]);

const PERMANENT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'INVALID_CONFIG',
  'BROKER_UNSUITABLE',
  'STORE_REFUSED',
  'STORE_NOT_MIGRATED',
  'STORE_TOO_NEW',
  'STORE_UNSUITABLE',
  'STORE_LOCKED',
  'STORE_FAILED',
  'REGION_MISMATCH',
]);

/** The database is away or busy: there is nothing to run without it. */
export function isPassing(error: unknown): boolean {
  return isPostriderError(error) && PASSING.has(error.code);
}
