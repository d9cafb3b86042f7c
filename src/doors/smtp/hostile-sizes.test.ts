import { describe, expect, test } from 'vitest';
import { longestTurn } from '../../kernel/longest-turn.fixture.js';
import { memoryFor } from '../../kernel/memory-for.fixture.js';
import { ground, MESSAGE, signedIn } from './door-clients.fixture.js';

/** Messages that are large in a way mail is not. Others of the process go on while they are read and refused. */
const MB = 1024 ** 2;
const HEAD = 'From: app@example.com\r\nTo: reader@example.net\r\nSubject: a\r\nMIME-Version: 1.0\r\n';
const mixed = (body: string) =>
  `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b\r\n${body}\r\n--b--`;
const filled = (line: string, bytes: number) => line.repeat(bytes / line.length).slice(0, -2);
const nested = (boundary: string, depth: number) =>
  Array.from({ length: depth }, (_, n) => {
    const own = `${boundary}${String(n).padStart(2, '0')}`;
    return `Content-Type: multipart/mixed; boundary=${own}\r\n\r\n--${own}\r\n`;
  }).join('');

const SHAPES: Array<[string, () => string, RegExp]> = [
  [
    'lines of one letter',
    () => `${HEAD}\r\n${filled('a\r\n', 4 * MB)}`,
    /^552 5\.3\.4 .*more than 512 KB of text/,
  ],
  ['empty lines', () => `${HEAD}\r\n${filled('\r\n', 4 * MB)}`, /^552 5\.3\.4 .*more than 512 KB of text/],
  ['empty parts', () => mixed(filled('--b\r\n\r\n', 4 * MB)), /^552 5\.3\.4 .*more than 100 parts/],
  [
    'lines that begin as a delimiter does',
    () => `${HEAD}${nested('x'.repeat(240), 19)}\r\n${filled(`--${'x'.repeat(240)}\r\n`, 4 * MB)}`,
    /^552 5\.3\.4 .*more than 512 KB of text/,
  ],
  ['doubled dots', () => `${HEAD}\r\n${filled('..\r\n', 4 * MB)}`, /^552 5\.3\.4 .*more than 512 KB of text/],
  [
    'flowed lines',
    () => `${HEAD}Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\n${filled('-- \r\n', 600_000)}`,
    /^250 /,
  ],
  [
    'base64 padded in every line',
    () =>
      mixed(
        `Content-Transfer-Encoding: base64\r\nContent-Type: image/png\r\n\r\n${filled('QQ==\r\n', 4 * MB)}`,
      ),
    /^250 /,
  ],
  [
    'quoted-printable of nothing but breaks',
    () =>
      mixed(
        `Content-Transfer-Encoding: quoted-printable\r\nContent-Type: image/png\r\n\r\n${filled('=\r\n', 4 * MB)}`,
      ),
    /^250 /,
  ],
  [
    'twenty thousand header fields',
    () => `${HEAD}${'a:\r\n'.repeat(15_000)}\r\nHello`,
    /^552 5\.3\.4 .*more than 1000 header fields/,
  ],
  [
    'thirty thousand addresses',
    () => `From: app@example.com\r\nTo: ${'a,'.repeat(30_000)}b\r\nSubject: a\r\n\r\nHello`,
    /^552 5\.3\.4 .*more than 1000 addresses in To/,
  ],
  [
    'a thousand addresses with names and comments',
    () =>
      `From: app@example.com\r\nTo: ${Array.from({ length: 1000 }, (_, n) => `"A, B ${n}" (c) <a${n}@example.net>`).join(',\r\n ')}\r\nSubject: a\r\n\r\nHello`,
    /^250 /,
  ],
];

describe.each(SHAPES)('%s', (_what, message, reply) => {
  test('→ answered, and nobody waits 250 ms of CPU for it', async () => {
    const one = await signedIn(await ground({ maxMessageBytes: 8 * MB }));
    const bytes = message();
    let answer = '';
    const { longest } = await longestTurn(async () => {
      answer = await one.submit(bytes);
    });
    expect(answer).toMatch(reply);
    expect(longest).toBeLessThan(250);
    expect(await one.submit(MESSAGE)).toMatch(/^250 /);
  });

  test('→ takes no more memory than a few times its bytes', async () => {
    const one = await signedIn(await ground({ maxMessageBytes: 8 * MB }));
    const bytes = message();
    expect(await memoryFor(() => one.submit(bytes))).toBeLessThan(6 * bytes.length + 128 * MB);
  });
});

describe('a message that names nobody', () => {
  const named = (to: string, size: number) =>
    `From: app@example.com\r\nTo: ${to}\r\nSubject: a\r\n\r\n${filled(`${'x'.repeat(70)}\r\n`, size)}`;
  const everyone = Array.from({ length: 50 }, (_, n) => `reader-${n}@example.net`);

  test('large, to fifty → 552 that says how to send it; small → an email for each', async () => {
    const at = await ground();
    const one = await signedIn(at);
    expect(await one.submit(named('undisclosed-recipients:;', 100_000), everyone)).toMatch(
      /^552 5\.3\.4 .*becomes 50 emails.*larger than 2097152 bytes in all/,
    );
    expect(at.accepted).toEqual([]);
    expect(await one.submit(named('undisclosed-recipients:;', 10_000), everyone)).toMatch(/^250 /);
    expect(at.accepted[0]!.emails).toHaveLength(50);
    expect(await one.submit(named(everyone.join(', '), 100_000), everyone)).toMatch(/^250 /);
  });
});

test('headers named like what every object has → carried as headers and nothing else', async () => {
  const at = await ground();
  const one = await signedIn(at);
  expect(await one.submit(`constructor: a\r\n__proto__: b\r\ntoString: c\r\n${MESSAGE}`)).toMatch(/^250 /);
  const [email] = at.accepted[0]!.emails;
  expect(Object.entries(email!.headers as object)).toEqual([
    ['constructor', 'a'],
    ['__proto__', 'b'],
    ['toString', 'c'],
  ]);
  expect(Object.keys(email!).sort()).toEqual(
    ['bcc', 'cc', 'companyId', 'from', 'headers', 'subject', 'text', 'to'].sort(),
  );
});
