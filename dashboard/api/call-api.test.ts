import { describe, expect, test } from 'vitest';
import { readProblem } from './api-error.js';
import { queryOf } from './call-api.js';

describe('a query', () => {
  test('of what is empty → nothing; of the rest → written for an address', () => {
    expect(queryOf({ a: '', b: null, c: undefined })).toBe('');
    expect(queryOf({ to: 'a+b@example.net', limit: 50, dryRun: false })).toBe(
      '?to=a%2Bb%40example.net&limit=50&dryRun=false',
    );
  });
});

describe('a refusal', () => {
  const answer = (status: number, body: string, headers = {}) =>
    readProblem(new Response(body, { status, headers }));

  test('of the API → its code, field and help, and when to come back', async () => {
    const problem = {
      code: 'RATE_LIMITED',
      detail: 'Too many.',
      field: 'to',
      help: 'Wait.',
      requestId: 'r-1',
    };
    expect(await answer(429, JSON.stringify(problem), { 'Retry-After': '7' })).toMatchObject({
      ...{ status: 429, code: 'RATE_LIMITED', message: 'Too many.', field: 'to', help: 'Wait.' },
      ...{ requestId: 'r-1', retryAfterSeconds: 7 },
    });
  });

  test('of something before it, in HTML → its status', async () => {
    expect(await answer(502, '<h1>Bad gateway</h1>')).toMatchObject({
      ...{ status: 502, code: 'HTTP_502', retryAfterSeconds: null },
      message: 'The server answered with 502.',
    });
  });

  test('because the session is over → said to a person, not to a program', async () => {
    const problem = { code: 'UNAUTHORIZED', detail: 'No key.', help: 'Send the key as Authorization.' };
    expect(await answer(401, JSON.stringify(problem))).toMatchObject({
      ...{ message: 'You were signed out before this was done.' },
      help: 'Nothing was changed. Sign in and do it again.',
    });
  });
});
