import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasControlCharacter, isPostriderError, isStorableText } from '../kernel/index.js';
import type { ContentProblem } from '../policy/index.js';
import { contentRefusal, parseEmailDraft } from './email-draft.js';

const NOW = Date.UTC(2030, 0, 1);
const minimal = { to: 'ada@b.example', subject: 'Welcome', html: '<p>Hello</p>', text: 'Hello' };
const draft = (input: unknown) => parseEmailDraft(input, NOW, { later() {} });
const parse = (change: object = {}) => draft({ ...minimal, ...change });
/** With what is judged later of its content. */
async function judged(input: unknown): Promise<void> {
  let problem: ContentProblem | null = null;
  const judgements: Promise<ContentProblem | null>[] = [];
  parseEmailDraft(input, NOW, { later: (judgement) => judgements.push(judgement) });
  for (const judgement of judgements) problem ??= await judgement;
  if (problem !== null) throw contentRefusal(problem);
}
const file = (change: object = {}) => ({ filename: 'a.pdf', content: 'QUJD', ...change });

describe('accepted', () => {
  test('the least → everything else is null or empty', () => {
    expect(parse()).toEqual({
      ...{
        companyId: null,
        region: null,
        category: null,
        type: null,
        lang: null,
        userId: null,
        recipientId: null,
        recipientExternalId: null,
      },
      ...{
        from: null,
        replyTo: [],
        to: [{ address: 'ada@b.example' }],
        cc: [],
        bcc: [],
        headerRecipients: null,
        headers: {},
      },
      ...{ subject: 'Welcome', html: '<p>Hello</p>', text: 'Hello', attachments: [], priority: null },
      ...{ scheduledAt: null, expiresAt: null, metadata: {}, delivery: null, retry: null, sensitive: false },
    });
  });

  test('everything → kept', () => {
    const draft = parse({
      from: 'Shop <shop@b.example>',
      replyTo: ['help@b.example'],
      cc: [{ email: 'c@b.example', name: 'C' }],
      bcc: 'd@b.example',
      headers: { 'X-Campaign': 'spring' },
      attachments: [
        file({ contentId: 'logo@x' }),
        file({ filename: 'b', contentType: 'text/calendar; method=REQUEST' }),
      ],
      type: 'password_reset',
      data: { code: '123456' },
      lang: 'pt-BR',
      companyId: 'acme:eu.1',
      userId: 'u 42',
      recipient: {
        externalId: 'crm-7',
        recipientId: '01890000-0000-7000-8000-000000000000',
        email: 'ada@B.EXAMPLE',
      },
      priority: 1,
      scheduledAt: '2030-02-28T09:30:00.5+02:00',
      expiresAt: new Date(Date.UTC(2030, 2, 1)),
      delivery: 'at-most-once',
      retry: 'outbox',
      metadata: { order: 7, tags: ['a', null, true], gone: undefined },
    });
    expect(draft).toMatchObject({
      from: { address: 'shop@b.example', name: 'Shop' },
      recipientId: '01890000-0000-7000-8000-000000000000',
      recipientExternalId: 'crm-7',
      attachments: [
        { filename: 'a.pdf', contentType: 'application/pdf', content: 'QUJD', contentId: 'logo@x' },
        { filename: 'b', contentType: 'text/calendar; method=REQUEST' },
      ],
      scheduledAt: new Date('2030-02-28T07:30:00.500Z'),
      expiresAt: new Date('2030-03-01T00:00:00Z'),
      metadata: { order: 7, tags: ['a', null, true] },
    });
    expect('gone' in draft.metadata).toBe(false);
    expect('data' in draft).toBe(false);
  });

  test('text alone → html derived from it; html alone → text', () => {
    expect(parse({ html: undefined, text: 'a < b' }).html).toContain('a &lt; b');
    expect(parse({ text: null }).text).toBe('Hello');
  });

  test('50 recipients in all, 20 files, 10 MB → still within the limits', () => {
    expect(
      parse({ to: Array(48).fill('a@b.example'), cc: 'c@d.example', bcc: 'e@f.example' }).to,
    ).toHaveLength(48);
    expect(parse({ attachments: Array(20).fill(file()) }).attachments).toHaveLength(20);
    const tenMegabytes = Buffer.alloc(10 * 1024 * 1024).toString('base64');
    expect(parse({ attachments: [file({ content: tenMegabytes })] }).attachments).toHaveLength(1);
  });
});

describe('refused with its field', () => {
  test.each<[string, unknown, string, string?]>([
    ['no recipient', { to: undefined }, 'to'],
    ['empty list of recipients', { to: [] }, 'to'],
    ['51 recipients', { to: Array(51).fill('a@b.example') }, 'to', 'INVALID_EMAIL'],
    ['51 recipients in all', { to: Array(25).fill('a@b.example'), bcc: Array(26).fill('a@b.example') }, 'to'],
    ['bad second recipient', { to: ['a@b.example', 'x'] }, 'to[1]', 'INVALID_EMAIL'],
    ['header injection in cc', { cc: 'a@b.example\r\nX: y' }, 'cc', 'INVALID_EMAIL'],
    ['bad from', { from: [] }, 'from', 'INVALID_EMAIL'],
    ['bad reply-to', { replyTo: 'x' }, 'replyTo', 'INVALID_EMAIL'],
    ['structural header', { headers: { From: 'x' } }, 'headers.From', 'INVALID_HEADER'],
    ['no subject', { subject: undefined }, 'subject'],
    ['subject not a string', { subject: { a: 1 } }, 'subject'],
    ['subject with a newline', { subject: 'a\nb' }, 'subject', 'INVALID_TEMPLATE'],
    ['subject too long', { subject: 'a'.repeat(151) }, 'subject', 'INVALID_TEMPLATE'],
    ['html not a string', { html: 1 }, 'html'],
    ['no content', { html: '', text: undefined }, 'html', 'INVALID_TEMPLATE'],
    ['script', { html: '<script>' }, 'html', 'INVALID_TEMPLATE'],
    ['NUL in text', { text: 'a\u0000' }, 'text'],
    ['lone surrogate in html', { html: '<p>\ud800' }, 'html'],
    ['text that derives too much html', { html: '', text: '<'.repeat(200_000) }, 'text', 'INVALID_TEMPLATE'],
    ['type without content', { type: 'welcome', html: '', text: '' }, 'type', 'UNKNOWN_TYPE'],
    ['type with spaces', { type: 'a b' }, 'type'],
    ['type over 64 characters', { type: 'a'.repeat(65) }, 'type'],
    ['data without type', { data: {} }, 'data'],
    ['data not an object', { type: 'a', data: [1] }, 'data'],
    ['language not a tag', { lang: 'en_US' }, 'lang'],
    ['language with a newline', { lang: 'en\n' }, 'lang'],
    ['company with a slash', { companyId: 'a/b' }, 'companyId'],
    ['company empty', { companyId: '' }, 'companyId'],
    ['company a number', { companyId: 7 }, 'companyId'],
    ['user id too long', { userId: 'a'.repeat(129) }, 'userId'],
    ['user id with a control', { userId: 'a\u0007' }, 'userId'],
    ['user id with NUL', { userId: 'a\u0000' }, 'userId'],
    ['recipient a string', { recipient: 'ada@b.example' }, 'recipient'],
    ['recipient without ids', { recipient: { email: 'ada@b.example' } }, 'recipient'],
    ['recipient without email', { recipient: { externalId: '7' } }, 'recipient.email', 'INVALID_EMAIL'],
    [
      'recipient is someone else',
      { recipient: { externalId: '7', email: 'bob@b.example' } },
      'recipient.email',
    ],
    [
      'recipient in other case',
      { recipient: { externalId: '7', email: 'ADA@b.example' } },
      'recipient.email',
    ],
    [
      'recipient id not a UUID',
      { recipient: { recipientId: '7', email: 'ada@b.example' } },
      'recipient.recipientId',
    ],
    ['unknown key in recipient', { recipient: { id: '7', email: 'ada@b.example' } }, 'recipient.id'],
    ['priority 0', { priority: 0 }, 'priority'],
    ['priority 5', { priority: 5 }, 'priority'],
    ['priority as text', { priority: '1' }, 'priority'],
    ['scheduled in two years', { scheduledAt: '2032-01-01T00:00:00Z' }, 'scheduledAt'],
    ['expired already', { expiresAt: '2029-12-31T23:59:59Z' }, 'expiresAt'],
    ['metadata over 8 KB', { metadata: { a: 'x'.repeat(8192) } }, 'metadata'],
    ['metadata 6 levels deep', { metadata: { a: { a: { a: { a: { a: {} } } } } } }, 'metadata.a.a.a.a.a'],
    ['file with a path', { attachments: [file({ filename: '../x' })] }, 'attachments[0].filename'],
    ['unknown delivery', { delivery: 'exactly-once' }, 'delivery'],
    ['unknown retry', { retry: 'toString' }, 'retry'],
    ['unknown key', { subjct: 'x' }, 'subjct'],
    ['prototype key', JSON.parse('{"__proto__":{"to":"x"}}'), '__proto__'],
    ['constructor key', { constructor: 'x' }, 'constructor'],
    ['key with a control', { 'a\r\nb': 'x' }, '(a key)'],
    [
      'html of rules, each a long line of text',
      { html: '<hr>'.repeat(100_000), text: '' },
      'html',
      'INVALID_TEMPLATE',
    ],
    ['key of a megabyte', { ['k'.repeat(1_000_000)]: 'x' }, '(a key)'],
  ])('%s → refused', async (_, change, field, code = 'INVALID_PAYLOAD') => {
    const input = Object.defineProperties({ ...minimal }, Object.getOwnPropertyDescriptors(change));
    const refusal = expect.objectContaining({ code, field });
    await expect(judged(input)).rejects.toThrow(refusal);
  });

  test('misspelt key → names the likely one', () => {
    expect(() => parse({ reply_to: 'a@b.example' })).toThrow(/did you mean replyTo/);
    expect(() => parse({ sheduledAt: 'x' })).toThrow(/did you mean scheduledAt/);
  });

  test.each([null, undefined, 1, 'x', [], [minimal], () => minimal])(
    '%j instead of an object → refused',
    (input) => {
      expect(() => draft(input)).toThrow(expect.objectContaining({ code: 'INVALID_PAYLOAD' }));
    },
  );

  test('a polluted prototype → nothing is read from it', () => {
    const inherited = Object.create({ bcc: 'eve@b.example', priority: 1 });
    const { bcc, priority } = draft(Object.assign(inherited, minimal));
    expect(bcc).toEqual([]);
    expect(priority).toBeNull();
  });
});

describe('anything', () => {
  const keys = [
    'to',
    'cc',
    'from',
    'subject',
    'html',
    'text',
    'headers',
    'attachments',
    'type',
    'lang',
    'metadata',
    'userId',
    'recipient',
    'scheduledAt',
  ];
  const value = fc.oneof(
    fc.anything({ withDate: true, withNullPrototype: true, withBigInt: true, withSparseArray: true }),
    fc.string({ unit: 'binary' }),
    fc.emailAddress(),
    fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })),
  );

  test('any object → a draft or a PostriderError, nothing else', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), value), (input) => {
        try {
          parse(input);
        } catch (error) {
          if (!isPostriderError(error)) throw error;
          expect(hasControlCharacter(error.message)).toBe(false);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('whatever is accepted → no control character in a line, only storable text', () => {
    const line = fc.string({ unit: 'binary', maxLength: 6 });
    const email = fc.record({
      subject: fc.oneof(fc.string({ minLength: 1 }), line),
      userId: fc.oneof(fc.string({ minLength: 1 }), line),
      headers: fc.dictionary(fc.stringMatching(/^X-[A-Za-z]{1,9}$/), fc.oneof(fc.string(), line), {
        maxKeys: 2,
      }),
      from: fc.record({ address: fc.constant('a@b.example'), name: fc.oneof(fc.string(), line) }),
    });
    let accepted = 0;
    fc.assert(
      fc.property(email, (input) => {
        try {
          const draft = parse(input);
          accepted += 1;
          const lines = [
            draft.subject,
            draft.userId!,
            draft.from!.name ?? '',
            ...Object.values(draft.headers),
          ];
          expect(lines.some(hasControlCharacter)).toBe(false);
          expect(lines.every(isStorableText)).toBe(true);
        } catch (error) {
          if (!isPostriderError(error)) throw error;
        }
      }),
      { numRuns: 1000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});
