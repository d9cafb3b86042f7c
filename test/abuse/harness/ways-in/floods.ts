import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, Budget, Outcome } from '../attack.js';
import { type Flood, pour } from '../pour.js';
import { ROOT, type Target } from '../target.js';

/**
 * Commands and requests that are sent without waiting for answers, which nobody reads or all of which are read; many
 * connections at once. What they hold is held against what is in hand at once, not against their own bytes.
 */
const KB = 1024;
const MB = 1024 ** 2;
const CROWD: Partial<Budget> = { memoryBytes: 256 * MB, stallMs: 250 };

const MAIL = 'MAIL FROM:<a@example.com>\r\n';
const RCPT = 'RCPT TO:<a@example.com>\r\n';
const HTTP = (line: string, more = '') => `${line} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';

/** What is repeated after a sign-in, and how often. */
const COMMANDS: ReadonlyArray<readonly [entry: string, text: string, times: number, before?: string]> = [
  ['NOOP', 'NOOP\r\n', 500_000],
  ['EHLO', 'EHLO a\r\n', 50_000],
  ['unknown commands', 'a\r\n', 500_000],
  ['MAIL and RSET', `${MAIL}RSET\r\n`, 50_000],
  ['RCPT', RCPT, 200_000, MAIL],
  ['RCPT of no address', 'RCPT TO:<a@-->\r\n', 200_000, MAIL],
  ['keys that are wrong', 'AUTH PLAIN AGEAYg==\r\n', 2000],
  ['long commands', `NOOP ${'a'.repeat(16_000)}\r\n`, 1000],
  ['a command without an end', 'a', 16 * MB],
  ['CR', '\r', 4 * MB],
];

const REQUESTS: ReadonlyArray<readonly [entry: string, text: string, times: number, before?: string]> = [
  ['GET /health/live', HTTP('GET /health/live'), 20_000],
  ['GET /openapi.json', HTTP('GET /openapi.json'), 20_000],
  ['GET /docs', HTTP('GET /docs'), 20_000],
  ['GET /dashboard/', HTTP('GET /dashboard/'), 20_000],
  ['nothing there', HTTP('GET /a'), 20_000],
  ['lists', HTTP('GET /admin/emails', `Authorization: Bearer ${ROOT}\r\n`), 10_000],
  ['chunks of one byte', '1\r\na\r\n', 400_000, HTTP('POST /hooks/ses', CHUNKED)],
  ['extensions of chunks', `1;${'a'.repeat(1000)}\r\na\r\n`, 2000, HTTP('POST /hooks/ses', CHUNKED)],
  ['header lines', 'a: b\r\n', 200_000, 'GET / HTTP/1.1\r\nHost: a\r\n'],
];

/** Connections that each ask for something large and read nothing. */
const LARGE: ReadonlyArray<readonly [entry: string, request: string]> = [
  ['GET /openapi.json', HTTP('GET /openapi.json')],
  ['GET /admin/emails/export', HTTP('GET /admin/emails/export?days=30', `Authorization: Bearer ${ROOT}\r\n`)],
];

export function* floodAttacks(): Generator<Attack> {
  for (const reads of [true, false]) {
    const how = reads ? 'read' : 'unread';
    // Thousands of messages leave a stream and a hash each, until they are collected.
    yield {
      ...flood('SMTP commands', how, 'messages without content', 2000 * 60, ({ smtpPort, contents }) =>
        pour({
          ...{ port: smtpPort, signIn: contents.key, reads },
          bytes: `${MAIL}${RCPT}DATA\r\n.\r\n`.repeat(2000),
        }),
      ),
      budget: CROWD,
    };
    for (const [entry, text, times, before = ''] of COMMANDS)
      yield flood('SMTP commands', how, entry, text.length * times, ({ smtpPort, contents }) =>
        pour({ port: smtpPort, signIn: contents.key, bytes: before + text.repeat(times), reads }),
      );
    for (const [entry, text, times, before = ''] of REQUESTS)
      yield flood('HTTP requests', how, entry, text.length * times, ({ port }) =>
        pour({ port, bytes: before + text.repeat(times), reads }),
      );
  }
  for (const [entry, request] of LARGE)
    yield {
      ...flood('HTTP connections', '400 unread', entry, 400 * request.length, ({ port }) =>
        many(400, () => pour({ port, bytes: request, reads: false })),
      ),
      budget: CROWD,
    };
  yield {
    ...flood('SMTP connections', '100 with DATA', 'lines', 100 * 5 * MB, ({ smtpPort, contents }) =>
      many(100, () =>
        pour({
          ...{ port: smtpPort, signIn: contents.key, reads: true },
          bytes: `${MAIL}${RCPT}DATA\r\n${'aaaaaaaa\r\n'.repeat(500_000)}`,
        }),
      ),
    ),
    budget: CROWD,
  };
  yield {
    ...flood('POST /v1/email/batch', '40 at once', 'html', 40 * 8 * MB, batches),
    ...{ budget: { memoryBytes: 768 * MB, stallMs: 250 }, deadlineMs: 120_000 },
  };
}

function flood(
  wayIn: string,
  field: string,
  entry: string,
  bytes: number,
  run: (target: Target) => Promise<Flood>,
): Attack {
  return {
    ...{ wayIn, field, entry, bytes: Math.max(bytes, 4 * KB) },
    async run(target): Promise<Outcome> {
      const { status } = await run(target);
      return { status, answerBytes: 0 };
    },
  };
}

async function many(count: number, one: () => Promise<Flood>): Promise<Flood> {
  const statuses = new Map<string, number>();
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      await pause(index); // so that the backlog of the port refuses none
      const { status } = await one();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }),
  );
  return { status: [...statuses].map(([status, times]) => `${status} × ${times}`).join(', ') };
}

function batches(target: Target): Promise<Flood> {
  const email = { to: 'a@example.net', subject: 'x', html: 'x'.repeat(500 * KB) };
  const body = JSON.stringify(Array(16).fill(email));
  return many(40, async () => {
    const { status, error } = await target.ask({
      ...{ method: 'POST', path: '/v1/email/batch', body, timeoutMs: 60_000 },
      headers: { 'Content-Type': 'application/json' },
    });
    return { status: String(status || error) };
  });
}
