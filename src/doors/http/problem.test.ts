import { expect, test } from 'vitest';
import { PostriderError } from '../../kernel/index.js';
import { asPostriderError, problem } from './problem.js';

test('what the caller did wrong → told in full: code, field, detail, help and request id', async () => {
  const answer = problem(new PostriderError('INVALID_EMAIL', 'to is not an address.', { field: 'to' }), 'r1');
  expect(answer.status).toBe(400);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.has('retry-after')).toBe(false);
  expect(await answer.json()).toEqual({
    type: 'urn:postrider:error:INVALID_EMAIL',
    title: 'Invalid email',
    status: 400,
    code: 'INVALID_EMAIL',
    field: 'to',
    detail: 'to is not an address.',
    help: expect.stringContaining('name@domain'),
    requestId: 'r1',
  });
});

test('the store is away → 503 with Retry-After and without the address of the store', async () => {
  const answer = problem(new PostriderError('STORE_UNAVAILABLE', 'connect ECONNREFUSED 10.1.2.3:5432'), 'r1');
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await answer.text()).not.toContain('10.1.2.3');
});

test('an error that says when → Retry-After in whole seconds, rounded up', () => {
  const error = new PostriderError('STOPPED', 'stopping', { retryAfterSeconds: 2.2 });
  expect(problem(error, 'r1').headers.get('retry-after')).toBe('3');
});

test('a key that is missing → the scheme to use', () => {
  const answer = problem(new PostriderError('UNAUTHORIZED', 'A key is required.'), 'r1');
  expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="postrider"');
});

test('something thrown that nobody foresaw → INTERNAL with it as the cause', () => {
  expect(asPostriderError('boom')).toMatchObject({ code: 'INTERNAL', cause: 'boom' });
});

test('a limit that is met → the limit, what is left and the reset, in body and headers', async () => {
  const resetAt = new Date('2030-01-01T00:00:00Z');
  const rateLimit = { limit: 3, remaining: 0, resetAt };
  const error = new PostriderError('RATE_LIMITED', 'Too many.', { rateLimit, retryAfterSeconds: 59.2 });
  const answer = problem(error, 'r1');
  expect(answer.status).toBe(429);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    ...{ 'retry-after': '60', 'ratelimit-reset': '60', 'ratelimit-limit': '3', 'ratelimit-remaining': '0' },
  });
  expect(await answer.json()).toMatchObject({ rateLimit: { ...rateLimit, resetAt: resetAt.toISOString() } });
});
