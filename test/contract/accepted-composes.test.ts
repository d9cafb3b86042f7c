import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPostriderError } from '../../src/kernel/index.js';
import { composeMessage } from '../../src/providers/index.js';
import { throughIntake } from './ground/through-intake.js';

/** Whatever intake takes, the composer composes. */
const oddText = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength }),
    fc.string({ unit: 'grapheme', maxLength }),
    fc.string({ unit: 'grapheme-ascii', maxLength }),
    fc.constantFrom(
      '',
      ' ',
      '\ufeff',
      '\ufeffx',
      '\r\n',
      '\0',
      '=?UTF-8?Q?x?=',
      'a'.repeat(901),
      'a b'.repeat(300),
      `${'ü'.repeat(500)}`,
    ),
  );
const address = fc.oneof(
  fc.constantFrom(
    'ann@example.com',
    'jürgen@example.com',
    'ann@bücher.example',
    'Ann <ann@example.com>',
    '"A, B" <ann@example.com>',
    'Group: ann@example.com;',
    `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.example`,
    "o'hara@example.com",
    'a@xn--a.example',
    '用户@例え.jp',
  ),
  oddText(40).map((local) => `${local}@example.com`),
  oddText(40).map((domain) => `ann@${domain}`),
  oddText(300).map((name) => `${name} <ann@example.com>`),
  oddText(300).map((name) => ({ address: 'ann@example.com', name })),
);
const NAMES = [
  'X-A',
  'x-a',
  'References',
  'In-Reply-To',
  'List-Id',
  'List-Unsubscribe',
  'List-Unsubscribe-Post',
  'List-Help',
  'Keywords',
  'Comments',
  'Disposition-Notification-To',
  'Auto-Submitted',
  'Resent-From',
  'resent-date',
  'Content-Language',
  'Message-ID',
  'Date',
  'Received',
  'X_A',
  'X'.repeat(64),
  'MIME-Version',
  'Organization',
];
const headers = fc.dictionary(
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...NAMES) }, oddText(20)),
  fc.oneof(
    { weight: 3, arbitrary: oddText(200) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        '<a@b.example>',
        'Grüße <grüße.bücher.example>',
        'Grüße <list.example.com>',
        '<https://bücher.example/ab?c=ü>',
        '<mailto:ü@bücher.example?subject=Größe>',
        `<https://example.com/${'t'.repeat(900)}>`,
        'Ünal <ü@bücher.example>',
        '<a@ü> <b@c>',
        '<https://ü ö/>',
        'no <a@b',
        '<https://>, <ü>',
      ),
    },
    oddText(2100),
  ),
  { maxKeys: 6 },
);
const attachment = fc.record(
  {
    filename: fc.oneof(
      oddText(260),
      fc.constantFrom(
        'a.txt',
        'a/b',
        'a"b.pdf',
        'a\nb',
        "it's (1) *.csv",
        '名前.pdf',
        '%41.pdf',
        'a;b=c.txt',
        '.',
      ),
    ),
    content: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    contentType: fc.oneof(
      fc.constantFrom(
        'application/pdf',
        'text/plain',
        'text/html; charset=utf-8',
        'a!b/c$d',
        'message/rfc822',
        'text/calendar; method=REQUEST',
        'MULTIPART/mixed',
        "x'/y`",
        'image/png; name="a"b"',
        'text/plain; charset="ü"',
        'application/x; a="b;c=d"',
        'message/partial',
        'text/csv; header=present; charset=latin1',
      ),
      oddText(30),
    ),
    contentId: fc.oneof(fc.constantFrom('logo', 'a@b', '=?x?=', '<a>', "'%{|}"), oddText(20)),
  },
  { requiredKeys: ['filename', 'content'] },
);
const body = fc.oneof(
  oddText(300),
  fc.constantFrom(
    'Hello',
    'a\rb',
    'x'.repeat(2000),
    '.\n..\n',
    '\ufeffHello',
    '<p>Hello</p>',
    '<img src="cid:logo">',
    '<p>\ufeffHello</p>',
  ),
);
const anyInput = fc.record(
  {
    to: fc.oneof(address, fc.array(address, { maxLength: 3 })),
    cc: fc.array(address, { maxLength: 2 }),
    bcc: fc.array(address, { maxLength: 2 }),
    from: address,
    replyTo: fc.array(address, { maxLength: 2 }),
    subject: fc.oneof(fc.constant('Hello'), oddText(151)),
    html: body,
    text: body,
    headers,
    attachments: fc.array(attachment, { maxLength: 3 }),
  },
  { requiredKeys: ['to', 'subject'] },
);

async function refusedOrComposed(input: object): Promise<'refused' | Buffer> {
  const through = await throughIntake(input);
  if (isPostriderError(through)) {
    expect(through.field, through.message).toEqual(expect.any(String));
    return 'refused';
  }
  const message = await composeMessage(through);
  expectWireForm(message.toString('latin1'));
  return message;
}

/** Lines end in CRLF and within the limit of SMTP, and every line of the head is a header or goes on with one. */
function expectWireForm(message: string): void {
  expect(message.includes('\0')).toBe(false);
  const lines = message.replaceAll('\r\n', '\n').split('\n');
  expect(lines.filter((line) => line.length > 998 || line.includes('\r'))).toEqual([]);
  const head = lines.slice(0, lines.indexOf(''));
  expect(head.filter((line) => !/^(?:[A-Za-z][A-Za-z0-9-]*: |[ \t]+\S)/.test(line))).toEqual([]);
  const names = head.flatMap((line) => /^([A-Za-z][A-Za-z0-9-]*): /.exec(line)?.[1]?.toLowerCase() ?? []);
  expect(new Set(names).size).toBe(names.length);
}

test('any input → refused with its field, or composed', async () => {
  await fc.assert(
    fc.asyncProperty(anyInput, async (input) => {
      await refusedOrComposed(input);
    }),
    { numRuns: Number(process.env.RUNS ?? 1000) },
  );
});

// One part at a time: together nearly everything is refused.
const plain = { to: 'ann@example.com', subject: 'Hello', text: 'Hello' };
test.each<[string, fc.Arbitrary<object>]>([
  ['recipients', fc.record({ to: address })],
  ['senders', fc.record({ from: address, replyTo: address })],
  ['subjects', fc.record({ subject: oddText(151) })],
  ['bodies', fc.record({ html: body, text: body })],
  ['headers', fc.record({ headers })],
  ['files', fc.record({ attachments: fc.array(attachment, { minLength: 1, maxLength: 2 }) })],
])('any %s → refused with the field, or composed', async (_what, parts) => {
  let composed = 0;
  await fc.assert(
    fc.asyncProperty(parts, async (part) => {
      if ((await refusedOrComposed({ ...plain, ...part })) !== 'refused') composed += 1;
    }),
    { numRuns: Number(process.env.RUNS ?? 1000) },
  );
  expect(composed).toBeGreaterThan(50);
});
