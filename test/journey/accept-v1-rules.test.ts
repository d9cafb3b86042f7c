import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAcceptOptions } from '../../src/intake/accept-options.js';
import { parseTimes } from '../../src/intake/draft-times.js';
import { EMAIL_FIELDS } from '../../src/intake/email-fields.js';
import {
  checkContent,
  MAX_BODY_BYTES,
  MAX_SUBJECT_CHARACTERS,
  RETRY_PRESETS,
} from '../../src/policy/index.js';
import { openEmbedded } from './ground/open-embedded.js';
import { openJourney } from './ground/open-journey.js';

/** What send() refuses accept_v1 refuses at the call, by the argument's name, and nothing that send() takes. */
type Query = (text: string, values: unknown[]) => Promise<{ rows: Array<{ id: string }> }>;

const now = Date.now();
const DAY = 86_400_000;
const at = (ms: number) => new Date(now + ms).toISOString();
const deep = (levels: number): object => (levels === 1 ? { end: 1 } : { a: deep(levels - 1) });
const content = (parts: object) => () => {
  const problem = checkContent({ subject: 'Hello', html: '<p>Hello</p>', text: '', ...parts });
  if (problem) throw problem;
};
const headersOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-Header-${n}`, 'x']));

/** What JavaScript takes for white space. */
const SPACES = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code)).filter((char) =>
  /\s/.test(char),
);

/** By argument: what may be given, and what send() says to it. */
const CASES: Record<string, { values: unknown[]; read: (value: never) => unknown }> = {
  company_id: {
    values: [
      'acme',
      'a:b.c_d-e',
      'x'.repeat(128),
      'x'.repeat(129),
      'x'.repeat(10_000),
      '',
      'a\nb',
      'a b',
      'ä',
    ],
    read: (value) => EMAIL_FIELDS.companyId.read(value, 'company_id'),
  },
  type: {
    values: ['receipt', 'a'.repeat(64), 'a'.repeat(65), 'x'.repeat(10_000), '', '1st', 'a b', 'a\n'],
    read: (value) => EMAIL_FIELDS.type.read(value, 'type'),
  },
  user_id: {
    values: [
      'u-1',
      'Ünï 漢',
      'x'.repeat(128),
      'x'.repeat(129),
      '😀'.repeat(64),
      '😀'.repeat(65),
      '',
      'a\nb',
      'a\u202eb',
    ],
    read: (value) => EMAIL_FIELDS.userId.read(value, 'user_id'),
  },
  request_id: {
    values: ['req-1', 'x'.repeat(128), 'x'.repeat(129), '', 'a b', 'a\n', 'x'.repeat(100_000)],
    read: (value) => checkAcceptOptions({ requestId: value }),
  },
  retry: {
    values: [...Object.keys(RETRY_PRESETS), 'never', '', 'constructor'],
    read: (value) => EMAIL_FIELDS.retry.read(value, 'retry'),
  },
  delivery: {
    values: ['at-least-once', 'at-most-once', 'twice'],
    read: (value) => EMAIL_FIELDS.delivery.read(value, 'delivery'),
  },
  priority: {
    values: [0, 1, 2, 3, 4, 5, -1],
    read: (value) => EMAIL_FIELDS.priority.read(value, 'priority'),
  },
  subject: {
    values: [
      ...['Hello', 'x'.repeat(MAX_SUBJECT_CHARACTERS), 'x'.repeat(MAX_SUBJECT_CHARACTERS + 1)],
      ...['😀'.repeat(MAX_SUBJECT_CHARACTERS), '😀'.repeat(MAX_SUBJECT_CHARACTERS + 1)],
      ...[
        '',
        '  ',
        '\u00a0',
        '\ufeff\u3000\u2003',
        'a\r\nBcc: x@example.net',
        'a\tb',
        'a\u0085b',
        'a\u2028b',
        'a\u202eb',
        'a\u2066b',
        'a\u007fb',
      ],
    ],
    read: (subject) => content({ subject })(),
  },
  html: {
    values: [
      ...['x'.repeat(MAX_BODY_BYTES), 'x'.repeat(MAX_BODY_BYTES + 1), 'ä'.repeat(MAX_BODY_BYTES / 2 + 1)],
      ...['', ' \r\n\t\v\f', '\u00a0\ufeff\u3000\u1680\u2028\u202f', ' '.repeat(101), `${' '.repeat(101)}x`],
      ...[...SPACES, '\u0085', '\u180e', '\u200b', '\u0301'],
      ...[
        '\u0001',
        'a\u0008b',
        'a\u000eb',
        'a\u001bb',
        'a\u007fb',
        'a\u0085b',
        'a\u202eb',
        '<script>x</script>y',
      ],
    ],
    // Whether HTML would run something only the worker judges.
    read: (html: string) => content({ html: html.replace('<script>', '') })(),
  },
  text_body: {
    values: [
      ...['x'.repeat(MAX_BODY_BYTES), 'x'.repeat(MAX_BODY_BYTES + 1), '', ' ', 'a\tb\r\nc', 'a\u0085b'],
      ...['\u0001', 'a\u001bb', 'a\u007fb'],
    ],
    read: (text) => content({ text })(),
  },
  scheduled_at: {
    values: [
      ...[at(1000), at(-DAY), at(366 * DAY - 60_000), at(366 * DAY + 60_000), at(400 * DAY)],
      ...[
        'infinity',
        '-infinity',
        '0044-03-15 BC',
        '200000-01-01',
        '1969-12-31T00:00:00Z',
        '1970-01-02T00:00:00Z',
      ],
    ],
    read: (value: string) => parseTimes(value, undefined, now),
  },
  expires_at: {
    values: [
      ...[at(60_000), at(4000 * DAY), at(-1000), '-infinity', '0044-03-15 BC', '200000-01-01'],
      ...['9999-12-30T00:00:00Z', '1970-01-02T00:00:00Z'],
    ],
    read: (value: string) => parseTimes(undefined, value, now),
  },
  metadata: {
    values: [
      ...[{}, { order: 7 }, deep(5), deep(6), { a: [[[[1]]]] }, { a: [[[[[1]]]]] }],
      ...[{ a: 'x'.repeat(8184) }, { a: 'x'.repeat(8185) }, { a: 'ä'.repeat(4093) }],
      // every colon and comma is followed by a space where PostgreSQL writes it
      ...[2000, 2045, 2060].map((count) => ({ a: Array.from({ length: count }, (_, n) => 100 + (n % 900)) })),
      Object.fromEntries(Array.from({ length: 740 }, (_, n) => [`k${100 + n}`, 1234])),
      Object.fromEntries(Array.from({ length: 620 }, (_, n) => [`k${100 + n}`, 1234])),
      { a: ': , "quoted": "\\" , ' },
      ...['"s"', 'null', '[]', '7', 'true'].map((json) => JSON.parse(json) as unknown),
      ...['{"__proto__":1}', '{"a":{"constructor":1}}', '{"a":[{"prototype":1}]}'].map(
        (j) => JSON.parse(j) as object,
      ),
      { a: 'the "constructor": of it', 'my constructor': 1, constructors: 2 },
    ],
    read: (value) => {
      if (value === null) throw new Error('JSON null is no object');
      return EMAIL_FIELDS.metadata.read(value, 'metadata');
    },
  },
  headers: {
    values: [
      ...[
        'x'.repeat(900),
        'x'.repeat(901),
        'x '.repeat(1000),
        `${'x'.repeat(899)}ä`,
        `${'x'.repeat(901)} ä`,
      ].map((value) => ({ 'X-A': value })),
      ...[16, 17, 40].map((count) =>
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, 'ä '.repeat(660)])),
      ),
      ...[
        {},
        { 'X-Order': '7' },
        headersOf(50),
        headersOf(51),
        { 'X-A': 'x'.repeat(2000) },
        { 'X-A': 'x'.repeat(2001) },
      ],
      ...[
        { 'X-A': '😀'.repeat(1000) },
        { 'X-A': '😀'.repeat(1001) },
        { ['X'.repeat(64)]: 'x' },
        { ['X'.repeat(65)]: 'x' },
      ],
      ...[
        { 'X-A': 7 },
        { 'X-A': null },
        { 'X-A': ['x'] },
        { 'X-A': 'a\r\nBcc: x@example.net' },
        { 'X-A': '1', 'x-a': '2' },
      ],
      ...[{ '': 'x' }, { 'X A': 'x' }, { 'X:A': 'x' }, { 'Ü-A': 'x' }, { '1-A': 'x' }, { constructor: 'x' }],
      ...[
        'From',
        'TO',
        'Cc',
        'Bcc',
        'Subject',
        'Date',
        'Message-ID',
        'MIME-Version',
        'Content-Type',
        'Content-ID',
        'Content-',
      ].map((name) => ({ [name]: 'x' })),
      ...[
        'Sender',
        'Return-Path',
        'Received',
        'DKIM-Signature',
        'Reply-To',
        'X-Postrider-Original-To',
        'x-postrider-',
      ].map((name) => ({ [name]: 'x' })),
      ...['List-Unsubscribe', 'References', 'In-Reply-To', 'Fromage', 'X-From', 'Contents'].map((name) => ({
        [name]: '<x>',
      })),
      ...['"s"', '[]', '["X-A"]', '7'].map((json) => JSON.parse(json) as unknown),
    ],
    read: (value) => EMAIL_FIELDS.headers.read(value, 'headers'),
  },
};

/** What accept_v1 looks at is the shape; the worker knows every rule. */
const ADDRESSES = {
  taken: [
    ...[
      'ada@example.com',
      'Ada.L+x@Sub.Example.co.uk',
      "o'neil@example.net",
      `${'x'.repeat(64)}@example.net`,
      'ü@example.net',
    ],
    ...[
      'Ada <ada@example.com>',
      '"Lovelace, Ada" <ada@example.com>',
      '"a \\"b\\" c" <ada@example.com>',
      '<ada@example.com>',
    ],
    ...['ada@bücher.example', `${'n'.repeat(256)} <ada@example.com>`],
  ],
  refused: [
    ...[
      '',
      'reader',
      'ada@x',
      'Ada <ada@x>',
      '@example.net',
      'ada@',
      'ada@example.',
      'ada@.net',
      'a..b@example.net',
      '.a@example.net',
    ],
    ...[
      'a@example.net, b@example.net',
      'a@example.net;b@example.net',
      'Ada <a@example.net>, B <b@example.net>',
      'a b@example.net',
    ],
    ...[
      'a@example.net\r\nx',
      'Ada\n<a@example.net>',
      'a@b@example.net',
      '"a b"@example.net',
      'a@127.0.0.1',
      'a@[127.0.0.1]',
    ],
    ...[
      'ada>',
      'Ada <a@example.net',
      '"Ada <a@example.net>',
      'A, B <a@example.net>',
      `${'x'.repeat(65)}@example.net`,
    ],
    ...[
      `a@${'x.'.repeat(125)}example.net`,
      `${'n'.repeat(257)} <ada@example.com>`,
      `${'x'.repeat(1_000_000)}@example.net`,
    ],
  ],
};

test('these addresses → taken and refused by send() alike', () => {
  const refused = (addresses: readonly string[]) =>
    addresses.filter((address) => !takes(() => EMAIL_FIELDS.from.read(address, 'from')));
  expect(refused(ADDRESSES.taken)).toEqual([]);
  expect(refused(ADDRESSES.refused)).toEqual(ADDRESSES.refused);
});

function takes(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

for (const [store, open] of [
  [
    'PostgreSQL',
    async () => {
      const { pool, close } = await openJourney();
      return { query: ((text, values) => pool.query(text, values)) as Query, close };
    },
  ],
  [
    'the embedded store',
    async () => {
      const { postrider, close } = await openEmbedded();
      const database = await postrider.ready();
      // The store wraps what the database says.
      const query: Query = async (text, values) =>
        database.query<{ id: string }>(text, values).catch((error: Error) => {
          throw error.cause;
        });
      return { query, close };
    },
  ],
] as const) {
  describe(`accept_v1 on ${store}, beside send()`, () => {
    let query: Query;
    let close: () => Promise<void>;
    beforeAll(async () => {
      ({ query, close } = await open());
    });
    afterAll(() => close());

    /** The error of the call, or null. */
    async function refusal(
      parts: Record<string, unknown>,
    ): Promise<{ code?: string; message: string } | null> {
      const given = { to_address: 'reader@example.net', subject: 'Hello', html: '<p>Hello</p>', ...parts };
      const names = Object.keys(given);
      const values = Object.entries(given).map(([name, value]) =>
        name === 'metadata' || name === 'headers' ? JSON.stringify(value) : value,
      );
      try {
        await query(
          `select postrider.accept_v1(${names.map((name, n) => `${name} => $${n + 1}`).join(', ')}) as id`,
          values,
        );
        return null;
      } catch (error) {
        return error as { code?: string; message: string };
      }
    }

    /** `taken`, or the code and whether the argument is named. */
    async function verdict(argument: string, value: unknown): Promise<string> {
      const error = await refusal({ [argument]: value });
      return error === null ? 'taken' : error.message.includes(argument) ? `${error.code}` : error.message;
    }
    const shown = (value: unknown, said: string) => `${String(JSON.stringify(value)).slice(0, 80)} → ${said}`;

    test.each(Object.keys(CASES))('%s → refused where send() refuses it, by its name', async (argument) => {
      const { values, read } = CASES[argument]!;
      const verdicts: string[] = [];
      for (const value of values) verdicts.push(shown(value, await verdict(argument, value)));
      expect(verdicts).toEqual(
        values.map((value) => shown(value, takes(() => read(value as never)) ? 'taken' : '22023')),
      );
    });

    test.each(['to_address', 'from_address', 'reply_to'])(
      '%s → one address, with or without a name',
      async (argument) => {
        const verdicts: string[] = [];
        for (const value of [...ADDRESSES.taken, ...ADDRESSES.refused])
          verdicts.push(shown(value, await verdict(argument, value)));
        expect(verdicts).toEqual([
          ...ADDRESSES.taken.map((value) => shown(value, 'taken')),
          ...ADDRESSES.refused.map((value) => shown(value, '22023')),
        ]);
      },
    );

    test('html and text_body without a visible character → refused instead of failed by the worker', async () => {
      for (const [html, text_body] of [
        ['', ''],
        [null, ' \n'],
        ['\u00a0', null],
      ])
        expect(await refusal({ html, text_body })).toMatchObject({
          code: '22023',
          message: 'html and text_body are both empty',
        });
      expect(await refusal({ html: '', text_body: 'Hello' })).toBeNull();
      expect(await refusal({ html: null, text_body: null })).toMatchObject({ code: '22004' });
    });

    test.each(['1e400', '-1e400', '1e-400', `[${Array(4000).fill('1e131071').join(',')}]`])(
      'metadata and headers with the number %s → refused before it is written out',
      async (number) => {
        for (const argument of ['metadata', 'headers'])
          await expect(
            query(
              `select postrider.accept_v1(to_address => 'reader@example.net', subject => 'Hello', html => 'x',
                 ${argument} => $1)`,
              [`{"a":${number}}`],
            ),
          ).rejects.toMatchObject({ code: '22023', message: expect.stringContaining(argument) });
      },
    );

    test('expires before it is due → refused; expires_at infinity → never', async () => {
      expect(await refusal({ scheduled_at: at(2 * DAY), expires_at: at(DAY) })).toMatchObject({
        code: '22023',
      });
      expect(await refusal({ subject: 'for ever', expires_at: 'infinity' })).toBeNull();
      const { rows } = await query(
        "select q.id from postrider.email_queue q join postrider.emails e using (id) where e.subject = 'for ever' and e.expires_at is null and q.expires_at is null",
        [],
      );
      expect(rows).toHaveLength(1);
    });

    test('a name before the address → taken apart, as send() does', async () => {
      expect(
        await refusal({
          subject: 'apart',
          to_address: '"Lovelace, \\"Ada\\"" <ada@example.com>',
          from_address: 'Shop <shop@example.org>',
          reply_to: 'help@example.org',
        }),
      ).toBeNull();
      const { rows } = await query(
        "select to_address as id, message from postrider.emails where subject = 'apart'",
        [],
      );
      expect(rows).toEqual([
        {
          id: 'ada@example.com',
          message: {
            to: [{ address: 'ada@example.com', name: 'Lovelace, "Ada"' }],
            from: { address: 'shop@example.org', name: 'Shop' },
            replyTo: [{ address: 'help@example.org' }],
          },
        },
      ]);
    });
  });
}
