import { type ErrorCode, isPostriderError, messageOf, PostriderError } from './kernel/index.js';
import { isStoreAway, sqlStateOf } from './store/index.js';

/**
 * Why a worker could not begin, and what `start()` does with it:
 *
 * | kind | `start()` |
 * |---|---|
 * | `passing`: the database, or a resource of this machine, is away, busy or full | waits and tries again |
 * | `broker-away`: the database is there, a broker is not | resolves; emails are accepted, and the worker tries again |
 * | `permanent`: everything else | rejects with the error, which has a code, a remedy and its cause |
 */
export type StartFault = { kind: 'passing' | 'broker-away' } | { kind: 'permanent'; error: PostriderError };

export function readStartFault(error: unknown): StartFault {
  if (isPostriderError(error)) {
    if (PASSING.has(error.code) || isRace(error)) return { kind: 'passing' };
    if (error.code === 'BROKER_UNAVAILABLE') return { kind: 'broker-away' };
    return { kind: 'permanent', error };
  }
  const { code, name, syscall } = (error ?? {}) as { code?: unknown; name?: unknown; syscall?: unknown };
  if (typeof code === 'string' && OUT_OF_RESOURCES.has(code)) return { kind: 'passing' };
  if (name === 'TimeoutError') return { kind: 'passing' };
  // The store gives its faults a code of ours, so a connection that fails is a broker's. A file that is not there is none.
  const isFile = typeof syscall === 'string' && !OF_CONNECTIONS.test(syscall);
  if (!isFile && isStoreAway(error)) return { kind: 'broker-away' };
  return {
    kind: 'permanent',
    error: new PostriderError('START_FAILED', `The worker could not begin: ${messageOf(error)}.`, {
      cause: error,
    }),
  };
}

/** What the log says of it. */
export function faultFields(error: unknown): object {
  return { err: messageOf(error), code: isPostriderError(error) ? error.code : undefined };
}

const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'STORE_UNAVAILABLE',
  'STORE_BUSY',
  'MIGRATION_BLOCKED',
  'STORE_STATEMENT_LOST',
]);

/** Of the machine: too many files, a full disk, no memory. */
const OUT_OF_RESOURCES = new Set(['EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT', 'EAGAIN', 'EBUSY', 'ENOMEM']);

const OF_CONNECTIONS = /^(?:connect|getaddrinfo|query|read|write)/;

/** Two processes that begin on a new store at once may collide in PostgreSQL's catalogue; the next try finds all there. */
function isRace(error: PostriderError): boolean {
  if (error.code !== 'STORE_FAILED') return false;
  const sqlState = sqlStateOf(error.cause);
  return sqlState === '23505' || (sqlState === 'XX000' && COLLISION.test(messageOf(error.cause)));
}

const COLLISION = /^(?:tuple concurrently (?:updated|deleted)|cache lookup failed)/;
