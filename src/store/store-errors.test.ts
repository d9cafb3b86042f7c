import { describe, expect, test } from 'vitest';
import { PostriderError } from '../kernel/index.js';
import { asStoreError, isStoreAway, sqlStateOf } from './store-errors.js';

describe('store errors', () => {
  const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code });

  test.each([
    coded('ECONNREFUSED'),
    coded('ECONNRESET'),
    coded('ENOTFOUND'),
    coded('57P01', 'terminating connection due to administrator command'),
    coded('57P03', 'the database system is starting up'),
    coded('53300', 'too many clients'),
    coded('25006', 'cannot execute INSERT in a read-only transaction'),
    Object.assign(coded('0A000', 'cannot access unlogged relations during recovery'), {
      routine: 'get_relation_info',
    }),
    coded('53100', 'could not extend file: No space left on device'),
    coded('53200', 'out of memory'),
    coded('53400', 'a limit'),
    coded('25P04', 'terminating connection due to transaction timeout'),
    coded('XX000', 'Max clients reached'),
    coded('EMFILE', 'too many open files'),
    coded('57P05', 'terminating connection due to idle-session timeout'),
    coded('58030', 'could not read block'),
    coded('08006'),
    new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')]),
    new Error('Connection terminated unexpectedly'),
    new Error('Connection terminated due to connection timeout'),
    new Error('timeout exceeded when trying to connect'),
    new Error('timeout expired'),
    new Error('Client has encountered a connection error and is not queryable'),
  ])('%s → away, as STORE_UNAVAILABLE with its cause', (error) => {
    expect(isStoreAway(error)).toBe(true);
    expect(asStoreError(error)).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      cause: error,
      retryAfterSeconds: 1,
    });
  });

  test.each([
    [
      Object.assign(coded('ECONNREFUSED'), { address: '127.0.0.1', port: 5433 }),
      ' at 127.0.0.1:5433 (ECONNREFUSED).',
    ],
    [Object.assign(coded('ENOTFOUND'), { hostname: 'db.example' }), ' at db.example (ENOTFOUND).'],
    [Object.assign(coded('ENOENT'), { address: '/run/.s.PGSQL.5432' }), ' at /run/.s.PGSQL.5432 (ENOENT).'],
    [coded('ECONNRESET'), ' (ECONNRESET).'],
    [coded('57P03', 'the database system is starting up'), ': the database system is starting up.'],
    [
      new AggregateError([Object.assign(coded('ECONNREFUSED'), { address: '::1', port: 1 })]),
      ' at ::1:1 (ECONNREFUSED).',
    ],
  ])('%s → the message says where and why', (error, reason) => {
    expect((asStoreError(error) as Error).message).toBe(`The database does not answer${reason}`);
  });

  test.each([
    coded('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain'),
    coded('CERT_HAS_EXPIRED', 'certificate has expired'),
    coded('ERR_TLS_CERT_ALTNAME_INVALID', 'another name'),
    new Error('The server does not support SSL connections'),
    coded('3D000', 'database "shop" does not exist'),
    coded('28000', 'role "shop" does not exist'),
    coded('28P01', 'password authentication failed for user "shop"'),
    coded('42501', 'permission denied for schema postrider'),
    new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
    coded('08P01', 'unsupported startup parameter: statement_timeout'),
    coded('08P01', 'no such user: shop'),
    coded('08P01', 'no such database: shop'),
    coded('08P01', 'database "shop" does not exist'),
    coded('08P01', 'transaction blocks not allowed in statement pooling mode'),
    coded('08P01', 'SASL authentication failed'),
  ])('%s → not away, STORE_REFUSED with what the server said', (error) => {
    expect(isStoreAway(error)).toBe(false);
    expect(asStoreError(error)).toMatchObject({
      code: 'STORE_REFUSED',
      retryable: false,
      message: `The database refuses: ${error.message}.`,
      cause: error,
    });
  });

  test.each([
    ['STORE_FAILED', false, coded('23505', 'duplicate key')],
    ['STORE_FAILED', false, coded('22P02')],
    ['STORE_NOT_MIGRATED', false, coded('42P01', 'relation "connection error" does not exist')],
    ['STORE_NOT_MIGRATED', false, coded('42703', 'column "x" does not exist')],
    ['STORE_BUSY', true, coded('40001', 'could not serialize')],
    ['STORE_BUSY', true, coded('57014', 'canceling statement due to user request')],
    ['TRANSACTION_ABORTED', false, coded('25P02')],
  ])('%s, retryable %s ← %s, with it as the cause', (code, retryable, error) => {
    expect(isStoreAway(error)).toBe(false);
    expect(asStoreError(error)).toMatchObject({ code, retryable, cause: error });
    expect(sqlStateOf(asStoreError(error))).toBe((error as { code?: string }).code);
  });

  test.each([
    new Error('the lock timeout expired too early'),
    new TypeError('x is not a function'),
    null,
    'text',
  ])('%s → not away, left as it is', (error) => {
    expect(isStoreAway(error)).toBe(false);
    expect(asStoreError(error)).toBe(error);
  });

  test('our own errors → never wrapped again', () => {
    const away = new PostriderError('STORE_UNAVAILABLE', 'away');
    const locked = new PostriderError('STORE_LOCKED', 'locked');
    expect(isStoreAway(away)).toBe(true);
    expect(isStoreAway(locked)).toBe(false);
    expect(asStoreError(away)).toBe(away);
    expect(asStoreError(locked)).toBe(locked);
  });
});
