import { messageOf, PostriderError } from '../kernel/index.js';

/**
 * Tells "the database is away" from "it does not let us in" and "the statement is wrong". Only the first is worth
 * waiting for.
 */
const AWAY_SQLSTATES = new Set([
  '25P03', // ended for idling in a transaction
  '25P04', // ended for a transaction that took too long
  '25006', // read-only: a standby, or a primary that has been demoted
  '53100', // disk full
  '53200', // out of memory
  '53300', // too many connections
  '53400', // a limit of the configuration
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
  'ECONNABORTED',
  'EMFILE',
  'ENFILE',
]);
const AWAY_MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|^timeout expired$|connection error|client has encountered a connection error|not queryable|server closed the connection|query read timeout/i;

const REFUSED_SQLSTATES = new Set([
  '28000', // no such role, or none that may come from here
  '28P01', // wrong password
  '3D000', // no such database
  '42501', // a grant is missing
]);
/** The driver's own: the server wants a password and the URL has none, or the URL wants TLS and the server has none. */
const REFUSED_MESSAGES = /^SASL: .*password must be|does not support SSL/;
/** Of TLS: a certificate that does not hold, or another protocol. */
const REFUSED_TLS =
  /^(?:ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|HOSTNAME_MISMATCH$)/;
/** Of poolers, which have one SQLSTATE for all they refuse. */
const REFUSED_BY_POOLER =
  /^unsupported startup parameter|^no such (?:user|database)|^(?:database|role) ".*" does not exist|not allowed in statement pooling mode|authentication failed/i;

export function isStoreAway(error: unknown): boolean {
  if (error instanceof PostriderError) return error.code === 'STORE_UNAVAILABLE';
  if (isRefused(error) || isStatementLost(error)) return false;
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown };
  // An unlogged table on a standby: what is asked here is the primary.
  if (code === '0A000' && routine === 'get_relation_info') return true;
  if (typeof code === 'string') {
    // Supavisor's word for a pool that is full.
    if (code === 'XX000' && /max clients/i.test(messageOf(error))) return true;
    if (AWAY_SQLSTATES.has(code) || code.startsWith('08') || AWAY_CODES.has(code)) return true;
    if (/^[0-9A-Z]{5}$/.test(code)) return false;
  }
  if (error instanceof AggregateError) return error.errors.some(isStoreAway);
  return AWAY_MESSAGES.test(messageOf(error));
}

/**
 * A pooler gave a statement to a server connection that does not know it, or that knows another of its name. The server
 * has not begun to execute it.
 */
export function isStatementLost(error: unknown): boolean {
  if (error instanceof PostriderError) return error.code === 'STORE_STATEMENT_LOST';
  const { code } = (error ?? {}) as { code?: unknown };
  if (code === '08P01') return /^bind message supplies .* prepared statement/.test(messageOf(error));
  return code === '42P05' || code === '26000';
}

function statementLost(error: unknown): PostriderError {
  const { code } = error as { code: string };
  return new PostriderError(
    'STORE_STATEMENT_LOST',
    `A connection pooler does not keep prepared statements (${code}: ${messageOf(error)}).`,
    { cause: error, retryAfterSeconds: 1 },
  );
}

/**
 * Gives every error of the database a code: STORE_UNAVAILABLE where it is away, STORE_REFUSED where it lets nobody in,
 * and one by its SQLSTATE where a statement failed. The database's own error is the `cause`; what is no error of a
 * database is left as it is.
 */
export function asStoreError(error: unknown): unknown {
  if (error instanceof PostriderError) return error;
  if (isStatementLost(error)) return statementLost(error);
  if (isRefused(error))
    return new PostriderError('STORE_REFUSED', `The database refuses: ${messageOf(error)}.`, {
      cause: error,
    });
  if (!isStoreAway(error)) return asStatementError(error);
  return new PostriderError('STORE_UNAVAILABLE', `The database does not answer${reasonOf(error)}.`, {
    cause: error,
    retryAfterSeconds: 1,
  });
}

function asStatementError(error: unknown): unknown {
  const sqlState = sqlStateOf(error);
  if (sqlState === null) return error;
  const says = messageOf(error);
  if (sqlState === '25P02')
    return new PostriderError('TRANSACTION_ABORTED', 'An earlier statement of this transaction has failed.', {
      cause: error,
    });
  if (UNDEFINED_SQLSTATES.has(sqlState))
    return new PostriderError(
      'STORE_NOT_MIGRATED',
      `Postrider's schema is missing or not up to date: ${says}.`,
      {
        cause: error,
      },
    );
  if (BUSY_SQLSTATES.has(sqlState))
    return new PostriderError('STORE_BUSY', `The database gave up a statement: ${says} (${sqlState}).`, {
      cause: error,
      retryAfterSeconds: 1,
    });
  return new PostriderError('STORE_FAILED', `The database refused a statement: ${says} (${sqlState}).`, {
    cause: error,
  });
}

/** A schema, table, column or function that is not there. */
const UNDEFINED_SQLSTATES = new Set(['3F000', '42P01', '42703', '42883']);
/** Another transaction stood in the way, or a time limit of the server passed. */
const BUSY_SQLSTATES = new Set(['40001', '40P01', '55P03', '57014']);

/** The driver's error under ours, where a statement failed; else the error as it is. */
export function driverErrorOf(error: unknown): unknown {
  return error instanceof PostriderError && sqlStateOf(error.cause) !== null ? error.cause : error;
}

/** What the server said about a statement, also where Prisma or this file has wrapped it; null: nothing. */
export function sqlStateOf(error: unknown): string | null {
  for (let at = error, depth = 0; typeof at === 'object' && at !== null && depth < 5; depth++) {
    const { code, meta, originalCode, cause } = at as Record<string, unknown>;
    const found = [code, originalCode].find((one) => typeof one === 'string' && SQLSTATE.test(one));
    if (found !== undefined) return found as string;
    at = prismaFault(meta) ?? cause;
  }
  return null;
}

/** Five characters, but not a code of Prisma's own, such as P2010. */
const SQLSTATE = /^(?!P[1-9])(?!E[A-Z]{4}$)[0-9A-Z]{5}$/;

/** Prisma names the server's code in `meta`, in another place in every major version. */
function prismaFault(meta: unknown): object | undefined {
  if (typeof meta !== 'object' || meta === null) return undefined;
  const { driverAdapterError } = meta as { driverAdapterError?: unknown };
  return typeof driverAdapterError === 'object' && driverAdapterError !== null ? driverAdapterError : meta;
}

function isRefused(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code !== 'string') return REFUSED_MESSAGES.test(messageOf(error));
  if (REFUSED_TLS.test(code)) return true;
  return REFUSED_SQLSTATES.has(code) || (code === '08P01' && REFUSED_BY_POOLER.test(messageOf(error)));
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
