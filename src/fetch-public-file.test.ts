import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Resolve } from './events/index.js';
import { fetchPublicFile } from './fetch-public-file.js';
import { ByteBudget, PostriderError, systemClock } from './kernel/index.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function files(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => answer(response));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`;
}

const MB = 1024 ** 2;
const fetchFile = fetchPublicFile({ allowPrivate: true, maxBytes: 10 * MB });
const usual = { take: () => {}, withinMs: 10_000 };

test('a hundred files that stay open → no more bytes of them than the budget has, and the others are told to come again', async () => {
  const budget = new ByteBudget(4 * MB);
  const url = await files((response) => {
    response.writeHead(200, { 'Content-Length': 9 * MB });
    response.write(Buffer.alloc(256 * 1024));
  });
  const holds = Array.from({ length: 100 }, () => budget.open('acme'));
  let most = 0;
  const outcomes = await Promise.all(
    holds.map((hold) => {
      const take = (bytes: number) => {
        if (!hold.take(bytes)) throw new PostriderError('TOO_MANY_LARGE_BODIES', 'Full.');
        most = Math.max(most, budget.bytesInUse);
      };
      return fetchFile(url, 'path', { take, withinMs: 1000 })
        .catch((error: PostriderError) => error.code)
        .finally(() => hold.release());
    }),
  );
  expect(most).toBeLessThanOrEqual(2 * MB);
  expect(most).toBeGreaterThan(1 * MB);
  expect(outcomes).toContain('TOO_MANY_LARGE_BODIES');
  expect(budget.bytesInUse).toBe(0);
});

test.each([
  ['with its length', { 'Content-Length': 300_000 }],
  ['without', {}],
])('a file that comes in pieces, %s → whole', async (_case, headers) => {
  const url = await files((response) => {
    response.writeHead(200, headers);
    for (let n = 0; n < 3000; n++) response.write(Buffer.alloc(100, n % 256));
    response.end();
  });
  const bytes = await fetchFile(url, 'path', usual);
  expect(bytes).toHaveLength(300_000);
  expect(bytes[299_999]).toBe(2999 % 256);
});

test('a file larger than an email holds → refused with that limit', async () => {
  const url = await files((response) => response.end(Buffer.alloc(11 * MB)));
  await expect(fetchFile(url, 'attachments[0].path', usual)).rejects.toMatchObject({
    ...{ code: 'INVALID_PAYLOAD', field: 'attachments[0].path' },
    message: `attachments[0].path is larger than ${10 * MB} bytes.`,
  });
});

test('a file that takes longer than its request has left → refused', async () => {
  const url = await files((response) => response.writeHead(200).write('begun'));
  await expect(fetchFile(url, 'path', { ...usual, withinMs: 50 })).rejects.toMatchObject({
    code: 'INVALID_PAYLOAD',
  });
});

test('a URL of an inner name, of one nobody knows and of one without an address → one answer, not before a second', async () => {
  const answers: Resolve[] = [
    (_host, done) => done(null, [{ address: '192.168.0.9', family: 4 }]),
    (_host, done) =>
      done(null, [
        { address: '93.184.215.14', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ]),
    (_host, done) => done(new Error('getaddrinfo ENOTFOUND intranet.example'), []),
    (_host, done) => done(null, []),
  ];
  const begun = systemClock.monotonic();
  const refusals = await Promise.all(
    answers.map(async (resolve) => {
      const guarded = fetchPublicFile({ allowPrivate: false, maxBytes: MB, resolve });
      const error = (await guarded('https://intranet.example/a', 'attachments[0].path', usual).catch(
        (refusal: unknown) => refusal,
      )) as PostriderError;
      return { code: error.code, message: error.message, early: systemClock.monotonic() - begun < 990 };
    }),
  );
  expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1);
  expect(refusals[0]).toEqual({
    code: 'INVALID_PAYLOAD',
    message: 'attachments[0].path could not be fetched: the name leads to no public address.',
    early: false,
  });
});
