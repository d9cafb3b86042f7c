import { messageOf, PostriderError } from '../kernel/index.js';

/**
 * Tells "the database is away" from "the statement is wrong". Only the first is worth waiting for.
 */
const AWAY_SQLSTATES = new Set([
  '25006', // read-only: a standby, or a primary that has been demoted
  '53100', // disk full
  '53200', // out of memory
  '53300', // too many connections
  '57P01', // ended by an administrator, a crash, while starting or stopping, for idling
  '57P02',
  '57P03',
  '57P05',
  '58000', // a fault of the system below, of its disk
  '58030',
]);
const AWAY_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EADDRNOTAVAIL',
]);
const AWAY_MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|^timeout expired$|connection error|client has encountered a connection error|not queryable|server closed the connection|query read timeout/i;

export function isStoreAway(error: unknown): boolean {
  if (error instanceof PostriderError) return error.code === 'STORE_UNAVAILABLE';
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string') {
    if (AWAY_SQLSTATES.has(code) || code.startsWith('08') || AWAY_CODES.has(code)) return true;
    if (/^[0-9A-Z]{5}$/.test(code)) return false;
  }
  if (error instanceof AggregateError) return error.errors.some(isStoreAway);
  return AWAY_MESSAGES.test(messageOf(error));
}

/** Wraps what means "away" into STORE_UNAVAILABLE; leaves everything else as it is. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof PostriderError || !isStoreAway(error)) return error;
  return new PostriderError('STORE_UNAVAILABLE', 'The database does not answer.', {
    cause: error,
    retryAfterSeconds: 1,
  });
}
