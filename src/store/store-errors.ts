import { messageOf, PostriderError } from '../kernel/index.js';

/**
 * Tells "the database is away" from "it does not let us in" and "the statement is wrong". Only the first is worth
 * waiting for.
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

const REFUSED_SQLSTATES = new Set([
  '28000', // no such role, or none that may come from here
  '28P01', // wrong password
  '3D000', // no such database
  '42501', // a grant is missing
]);
/** The driver's own, when the server wants a password and the URL has none. */
const REFUSED_MESSAGES = /^SASL: .*password must be/;

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

/** Wraps what means "away" into STORE_UNAVAILABLE and "not let in" into STORE_REFUSED; leaves everything else as it is. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof PostriderError) return error;
  if (isRefused(error))
    return new PostriderError('STORE_REFUSED', `The database refuses: ${messageOf(error)}.`, {
      cause: error,
    });
  if (!isStoreAway(error)) return error;
  return new PostriderError('STORE_UNAVAILABLE', `The database does not answer${reasonOf(error)}.`, {
    cause: error,
    retryAfterSeconds: 1,
  });
}

function isRefused(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? REFUSED_SQLSTATES.has(code) : REFUSED_MESSAGES.test(messageOf(error));
}

/** Where and why, as far as the error tells; a URL with its password never comes into it. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const { code, address, hostname, port } = error as NodeJS.ErrnoException & {
    address?: string;
    hostname?: string;
    port?: number;
  };
  if (code === undefined || !AWAY_CODES.has(code)) return `: ${messageOf(error)}`;
  const host = address ?? hostname;
  const place = host !== undefined && port !== undefined ? `${host}:${port}` : host;
  return place === undefined ? ` (${code})` : ` at ${place} (${code})`;
}
