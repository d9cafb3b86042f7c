import type { LookupAddress } from 'node:dns';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../kernel/index.js';
import { postWebhook, type Resolve } from './post-webhook.js';

describe('postWebhook', () => {
  let server: Server;
  let port: number;
  let asked = 0;
  let answer: (response: ServerResponse) => void = (response) => response.end('ok');

  beforeAll(async () => {
    server = createServer((_, response) => {
      asked += 1;
      answer(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const message = { headers: {}, body: '{}' };
  const resolvesTo =
    (...addresses: string[]): Resolve =>
    (_host, done) =>
      done(
        null,
        addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  const post = (
    url: string,
    options: { allowPrivate?: boolean; resolve?: Resolve; timeoutMs?: number } = {},
  ) => postWebhook(url, message, { allowPrivate: false, timeoutMs: 5000, clock: systemClock, ...options });

  test.each([
    ['127.0.0.1 written out', () => `http://127.0.0.1:${port}/`],
    ['as one number', () => `http://2130706433:${port}/`],
    ['in hexadecimal', () => `http://0x7f.1:${port}/`],
    ['IPv6 loopback', () => `http://[::1]:${port}/`],
    ['mapped into IPv6', () => `http://[::ffff:127.0.0.1]:${port}/`],
  ])('%s → no connection is made', async (_what, url) => {
    asked = 0;
    const { httpStatus, error } = await post(url());
    expect([httpStatus, error, asked]).toEqual([null, 'the address is not a public one', 0]);
  });

  test('a name that means loopback when it is connected to → no connection is made', async () => {
    asked = 0;
    const { httpStatus, error } = await post(`http://rebound.example:${port}/`, {
      resolve: resolvesTo('127.0.0.1'),
    });
    expect([httpStatus, error, asked]).toEqual([null, 'the name leads to no public address', 0]);
  });

  test('a name of the inside, one nobody knows, one that cannot be looked up → the same words, at whole seconds', async () => {
    const later =
      (ms: number, error: Error | null, ...addresses: string[]): Resolve =>
      (host, done) =>
        void setTimeout(() => (error ? done(error, []) : resolvesTo(...addresses)(host, done)), ms);
    const answers = await Promise.all(
      [
        later(1, null, '10.0.0.7'),
        later(1, null),
        later(300, Object.assign(new Error('getaddrinfo ENOTFOUND db.internal'), { code: 'ENOTFOUND' })),
        later(600, Object.assign(new Error('getaddrinfo EAI_AGAIN db.internal'), { code: 'EAI_AGAIN' })),
      ].map((resolve) => post('https://db.internal/', { resolve })),
    );
    expect(new Set(answers.map(({ error }) => error))).toEqual(
      new Set(['the name leads to no public address']),
    );
    for (const { durationMs } of answers) expect(durationMs).toBeGreaterThanOrEqual(990);
  });

  test('a name with a public and a private address → no connection is made', async () => {
    asked = 0;
    const { error } = await post(`http://mixed.example:${port}/`, {
      resolve: resolvesTo('93.184.215.14', '127.0.0.1'),
    });
    expect([error, asked]).toEqual(['the name leads to no public address', 0]);
  });

  test('private addresses allowed → the answer comes as a value', async () => {
    const got = await post(`http://inside.example:${port}/`, {
      allowPrivate: true,
      resolve: resolvesTo('127.0.0.1'),
    });
    expect(got).toMatchObject({ httpStatus: 200, response: 'ok', error: null });
  });

  test('a redirect → is the answer, and nobody follows it', async () => {
    asked = 0;
    answer = (response) => response.writeHead(307, { Location: `http://127.0.0.1:${port}/secret` }).end();
    const { httpStatus } = await post(`http://127.0.0.1:${port}/`, { allowPrivate: true });
    expect([httpStatus, asked]).toEqual([307, 1]);
  });

  test('no answer in time → an error that says so', async () => {
    let held: ServerResponse | null = null;
    answer = (response) => {
      held = response;
    };
    const { httpStatus, error } = await post(`http://127.0.0.1:${port}/`, {
      allowPrivate: true,
      timeoutMs: 100,
    });
    held!.end();
    expect([httpStatus, error]).toEqual([null, 'no answer within 100 ms']);
  });

  test('Retry-After → given on, a day at most', async () => {
    answer = (response) => response.writeHead(503, { 'Retry-After': '120' }).end();
    expect(await post(`http://127.0.0.1:${port}/`, { allowPrivate: true })).toMatchObject({
      retryAfterMs: 120_000,
    });
    answer = (response) => response.writeHead(503, { 'Retry-After': '99999999' }).end();
    expect(await post(`http://127.0.0.1:${port}/`, { allowPrivate: true })).toMatchObject({
      retryAfterMs: 86_400_000,
    });
  });
});
