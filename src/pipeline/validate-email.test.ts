import { describe, expect, test } from 'vitest';
import type { OpenedEmail } from '../outbox/index.js';
import { openedEmail } from './opened-email.fixture.js';
import { validateEmail } from './validate-email.js';

describe('the four validations', () => {
  const check = (parts: Partial<OpenedEmail> = {}, known: { recipientMissing?: boolean } = {}) =>
    validateEmail(openedEmail(parts), {
      recipientMissing: false,
      allowedDomains: null,
      ...known,
    } as Parameters<typeof validateEmail>[1]);

  test('what intake accepted → passes', () => {
    expect(check()).toBeNull();
  });

  test('what came by SQL and is in order → passes', () => {
    expect(check({ contentHash: null })).toBeNull();
  });

  test('HTML that came by SQL without its text → passes', () => {
    expect(
      check({ contentHash: null, body: { html: '<p>Hello</p>', text: '', attachments: [] } }),
    ).toBeNull();
  });

  test('the most headers a caller may give, and the link to unsubscribe that intake adds → passes; one more → not', () => {
    const headers = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [
        `X-${String(n).padStart(2, '0')}`,
        'ab '.repeat(216).slice(0, 650),
      ]),
    );
    const message = {
      to: [{ address: 'reader@example.net' }],
      headers: {
        ...headers,
        'List-Unsubscribe': `<https://example.com/u/${'t'.repeat(600)}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    };
    expect(check({ message })).toBeNull();
    expect(check({ message: { ...message, headers: { ...message.headers, 'X-More': 'x' } } })).toMatchObject({
      code: 'INVALID_PAYLOAD',
    });
  });

  test('nobody in To is reached → passes where the header says something else, and not otherwise', () => {
    const message = { to: [], bcc: [{ address: 'reader@example.net' }] };
    const named = (address: string) => ({ ...message, headerRecipients: { to: [{ address }], cc: [] } });
    const to = 'reader@example.net';
    expect(check({ to, message: named('list@lists.example') })).toBeNull();
    expect(check({ to, message })).toMatchObject({ code: 'INVALID_PAYLOAD' });
    expect(check({ to: 'other@example.net', message: named('list@lists.example') })).toMatchObject({
      code: 'INVALID_PAYLOAD',
    });
    expect(check({ to, message: named('a@b.example\r\nBcc: c@example.net') })).toMatchObject({
      code: 'INVALID_EMAIL',
    });
  });

  test('a queue row without an email → OUTBOX_NOT_FOUND before anything else', () => {
    expect(check({ found: false, id: 'x', body: null })).toMatchObject({
      type: 'OUTBOX',
      code: 'OUTBOX_NOT_FOUND',
    });
  });

  test.each<[string, Partial<OpenedEmail>]>([
    ['an id that is none', { id: '7' }],
    ['no company', { tenant: '' }],
    ['an unknown preset', { retry: 'never' }],
    ['a preset named like a property of every object', { retry: 'constructor' }],
    ['no recipient', { message: { to: [] } }],
    ['another address than the one accepted', { message: { to: [{ address: 'other@example.net' }] } }],
    [
      'a header with a line break',
      { message: { to: [{ address: 'reader@example.net' }], headers: { 'X-A': 'a\nb' } } },
    ],
    [
      'a header name with a blank',
      { message: { to: [{ address: 'reader@example.net' }], headers: { 'X A': 'a' } } },
    ],
    [
      'a header that Postrider writes itself',
      { message: { to: [{ address: 'reader@example.net' }], headers: { Bcc: 'spy@example.net' } } },
    ],
    [
      'a header of 3000 characters',
      { message: { to: [{ address: 'reader@example.net' }], headers: { 'X-A': 'a'.repeat(3000) } } },
    ],
  ])('%s → INTEGRITY, INVALID_PAYLOAD', (_case, parts) => {
    expect(check(parts)).toMatchObject({ type: 'INTEGRITY', code: 'INVALID_PAYLOAD' });
  });

  test.each(['to', 'cc', 'bcc', 'replyTo', 'from'] as const)(
    'a bad address in %s → INVALID_EMAIL, which names the field',
    (field) => {
      const bad = { address: 'a@example.net\r\nx' };
      const message = {
        to: [{ address: 'reader@example.net' }],
        [field]: field === 'from' ? bad : [bad],
      } as OpenedEmail['message'];
      expect(check({ message, ...(field === 'to' ? { to: bad.address } : {}) })).toMatchObject({
        type: 'RECIPIENT',
        code: 'INVALID_EMAIL',
        message: `${field} is not an email address`,
      });
    },
  );

  test('a recipient that is not there → RECIPIENT_NOT_FOUND', () => {
    expect(check({}, { recipientMissing: true })).toMatchObject({
      type: 'RECIPIENT',
      code: 'RECIPIENT_NOT_FOUND',
    });
  });

  test.each<[string, Partial<OpenedEmail>]>([
    ['no content left', { body: null }],
    ['content other than the one accepted', { contentHash: '00' }],
    [
      'script that came by SQL',
      { contentHash: null, body: { html: '<script>x</script>', text: '', attachments: [] } },
    ],
    ['a long subject that came by SQL', { contentHash: null, subject: 'x'.repeat(151) }],
  ])('%s → TEMPLATE, INVALID_TEMPLATE', async (_case, parts) => {
    expect(await check(parts)).toMatchObject({ type: 'TEMPLATE', code: 'INVALID_TEMPLATE' });
  });
});
