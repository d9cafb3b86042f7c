import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import PostalMime from 'postal-mime';
import { describe, expect, test } from 'vitest';
import { outgoingEmail } from '../outgoing-email.fixture.js';
import type { OutgoingEmail } from '../provider.js';
import { encodeForWire } from '../smtp/encode-for-wire.js';
import { bodyText, visibleText } from './any-text.fixture.js';
import { composeMessage, composeTexts } from './compose-message.js';

async function source(parts: Partial<OutgoingEmail>): Promise<string> {
  return (await composeMessage(outgoingEmail(parts))).toString('utf8');
}

const RUNS = { numRuns: 200 };

// Without these mailparser also rewrites the text as HTML, and hangs on some.
const AS_IT_STANDS = {
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipImageLinks: true,
  skipTextLinks: true,
};

const withoutEnd = (text: string | undefined) => (text ?? '').replace(/\r\n/g, '\n').replace(/\n+$/, '');

describe('any text in any script → two independent readers give it back', () => {
  test('subject, name, text and HTML', async () => {
    await fc.assert(
      fc.asyncProperty(visibleText, visibleText, bodyText, bodyText, async (subject, name, text, html) => {
        const message = await composeMessage(
          outgoingEmail({ subject, text, html, to: [{ address: 'reader@example.net', name }] }),
        );
        const postal = await PostalMime.parse(message);
        expect(postal.subject).toBe(subject);
        expect(postal.to?.[0]).toMatchObject({ address: 'reader@example.net', name });
        expect(withoutEnd(postal.text)).toBe(withoutEnd(text));
        expect(withoutEnd(postal.html)).toBe(withoutEnd(html));
        const parsed = await simpleParser(message, AS_IT_STANDS);
        expect(parsed.subject).toBe(subject);
        expect(withoutEnd(parsed.text)).toBe(withoutEnd(text));
        expect(withoutEnd(parsed.html || '')).toBe(withoutEnd(html));
      }),
      RUNS,
    );
  });

  test('the wire form → ASCII, CRLF only, lines within 998, header lines within 78 unless one word', async () => {
    await fc.assert(
      fc.asyncProperty(visibleText, visibleText, bodyText, async (subject, name, text) => {
        const message = await source({
          subject,
          text,
          html: text,
          to: [{ address: 'reader@example.net', name }],
        });
        expect(message).toMatch(/^[\r\n\t\x20-\x7e]*$/);
        expect(message).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
        const lines = message.split('\r\n');
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(998);
        const head = message.slice(0, message.indexOf('\r\n\r\n')).split('\r\n');
        for (const line of head) expect(line.length <= 78 || !/\S \S/.test(line.slice(12))).toBe(true);
      }),
      RUNS,
    );
  });
});

describe('headers', () => {
  test('the fixed ones → present, the same on every attempt', async () => {
    const first = await source({});
    expect(first).toContain('From: "Sender" <sender@example.com>\r\n');
    expect(first).toContain('Date: Fri, 02 Jan 2026 03:04:05 +0000\r\n');
    expect(first).toContain('Message-ID: <0192f0c1-7b2e-7000-8000-000000000001@example.com>\r\n');
    expect(first).toContain('MIME-Version: 1.0\r\n');
    expect(await source({})).toBe(first);
  });

  test('emails of one second and of the next, in turns → each its own date', async () => {
    const seconds = [1000, 1999, 2000, 1000, 61_000];
    const dates = seconds.map(async (ms) => /^Date: .*$/m.exec(await source({ date: new Date(ms) }))?.[0]);
    expect(await Promise.all(dates)).toEqual(
      ['00:00:01', '00:00:01', '00:00:02', '00:00:01', '00:01:01'].map(
        (at) => `Date: Thu, 01 Jan 1970 ${at} +0000`,
      ),
    );
  });

  test('bcc → in no header, with and without attachments', async () => {
    const bcc = [{ address: 'hidden@example.org' }];
    const attachments = [{ filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('a') }];
    expect(await source({ bcc })).not.toContain('hidden');
    expect(await source({ bcc, attachments })).not.toContain('hidden');
    expect(await source({ bcc, to: [] })).toContain('To: undisclosed-recipients:;\r\n');
  });

  test('a long List-Unsubscribe → folded between its links, never encoded', async () => {
    const link = `<https://example.com/unsubscribe?token=${'t'.repeat(90)}>`;
    const value = `${link}, <mailto:unsubscribe@example.com>`;
    const message = await source({ headers: { 'List-Unsubscribe': value } });
    expect(message).toContain(`List-Unsubscribe: ${link},\r\n <mailto:unsubscribe@example.com>\r\n`);
  });

  test.each([
    ['List-Id', 'Größe <a.example>', 'List-Id: =?UTF-8?B?R3LDtsOfZQ==?=\r\n <a.example>\r\n'],
    ['List-Help', '<https://bücher.example/ü>', 'List-Help: <https://xn--bcher-kva.example/%C3%BC>\r\n'],
    [
      'Errors-To',
      'Größe <a@bücher.example>',
      'Errors-To: \r\n =?UTF-8?B?R3LDtsOfZQ==?= <a@xn--bcher-kva.example>\r\n',
    ],
    ['X-A', 'Größe', 'X-A: =?UTF-8?B?R3LDtsOfZQ==?=\r\n'],
  ])('%s: %s → what programs read stays readable', async (name, value, line) => {
    expect(await source({ headers: { [name]: value } })).toContain(line);
  });

  test('encoded words behind a long name → lines within 76 characters', async () => {
    const message = await source({
      headers: { [`X-${'a'.repeat(60)}`]: 'Grüße aus Köln '.repeat(20).trim() },
    });
    const lines = message
      .slice(message.indexOf('X-aaa'))
      .split('\r\n')
      .filter((line) => line.includes('=?'));
    expect(lines.length).toBeGreaterThan(3);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(76);
  });

  test('several recipients with names → one per line, read back in order', async () => {
    const to = [
      { address: 'a@example.net', name: 'Öl, "AG"' },
      { address: 'b@bücher.example' },
      { address: 'c@example.net', name: 'C, D' },
    ];
    const parsed = await PostalMime.parse(await composeMessage(outgoingEmail({ to })));
    expect(parsed.to).toEqual([
      { address: 'a@example.net', name: 'Öl, "AG"' },
      { address: 'b@xn--bcher-kva.example', name: '' },
      { address: 'c@example.net', name: 'C, D' },
    ]);
  });

  test.each<[string, Partial<OutgoingEmail>, string]>([
    ['CRLF in the subject', { subject: 'a\r\nBcc: x@example.org' }, 'INVALID_HEADER'],
    ['NUL in a name', { from: { address: 'a@example.com', name: 'a\0b' } }, 'INVALID_HEADER'],
    ['LF in a header value', { headers: { 'X-A': 'a\nb' } }, 'INVALID_HEADER'],
    ['colon in a header name', { headers: { 'X-A: b': 'c' } }, 'INVALID_HEADER'],
    ['Bcc as a header', { headers: { bcc: 'x@example.org' } }, 'INVALID_HEADER'],
    ['Resent-From as a header', { headers: { 'Resent-From': 'x@example.org' } }, 'INVALID_HEADER'],
    ['a word over 900 characters', { headers: { 'X-A': 'a'.repeat(901) } }, 'INVALID_HEADER'],
    ['letters beyond ASCII in References', { headers: { References: '<ü@a.example>' } }, 'INVALID_HEADER'],
    ['Content-Type as a header', { headers: { 'content-type': 'text/html' } }, 'INVALID_HEADER'],
    ...[
      'Resent-From',
      'Authentication-Results',
      'ARC-Seal',
      'Received-SPF',
      'DKIM-Signature',
      '__proto__',
    ].map((name): [string, Partial<OutgoingEmail>, string] => [
      `${name} as a header`,
      { headers: Object.fromEntries([[name, 'x']]) },
      'INVALID_HEADER',
    ]),
    ['CR in an address', { replyTo: [{ address: 'a\r@example.com' }] }, 'INVALID_EMAIL'],
  ])('%s → refused, with and without attachments', async (_case, parts, code) => {
    const attachments = [{ filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('a') }];
    await expect(source(parts)).rejects.toMatchObject({ code });
    await expect(source({ ...parts, attachments })).rejects.toMatchObject({ code });
  });
});

describe('parts', () => {
  test.each([
    ['plain ASCII', 'Hello there', '7bit'],
    ['a few umlauts', 'Viele Grüße aus dem hohen Norden', 'quoted-printable'],
    ['mostly not ASCII', '안녕하세요 여러분', 'base64'],
    ['a line too long', 'x'.repeat(2000), 'quoted-printable'],
    ['the boundary itself', '--=_pr_0192f0c1-7b2e-7000-8000-000000000001--', 'quoted-printable'],
  ])('%s → in the encoding that fits', async (_case, text, encoding) => {
    const message = await source({ text, html: '' });
    expect(message).toContain(`Content-Transfer-Encoding: ${encoding}\r\n`);
    expect(withoutEnd((await PostalMime.parse(message)).text)).toBe(text);
  });

  test('text and HTML with a CR alone, beside a file → every line of the message ends in CRLF', async () => {
    const attachments = [{ filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('a') }];
    const message = await source({ text: 'a\rb\nc', html: '<p>a\rb</p>', attachments });
    expect(message.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expect(message).toContain('a\r\nb\r\nc');
  });

  test('attachment and inline image → read back byte for byte', async () => {
    const file = Buffer.from(Array.from({ length: 3000 }, (_, i) => i % 256));
    const message = await composeMessage(
      outgoingEmail({
        subject: 'Täglich',
        to: [{ address: 'reader@example.net', name: '한글' }],
        html: '<p>Grüße <img src="cid:logo"></p>',
        text: 'Grüße',
        attachments: [
          { filename: 'Übersicht.bin', contentType: 'application/octet-stream', content: file },
          {
            filename: 'logo.png',
            contentType: 'image/png',
            content: file.subarray(0, 100),
            contentId: 'logo',
          },
        ],
      }),
    );
    const parsed = await PostalMime.parse(message);
    expect(parsed).toMatchObject({ subject: 'Täglich', to: [{ name: '한글' }] });
    expect(parsed.html).toContain('Grüße');
    expect(parsed.attachments.map(({ filename }) => filename).sort()).toEqual(['logo.png', 'Übersicht.bin']);
    const read = parsed.attachments.find(({ filename }) => filename === 'Übersicht.bin')!;
    expect(Buffer.from(read.content as ArrayBuffer).equals(file)).toBe(true);
    const image = parsed.attachments.find(({ filename }) => filename === 'logo.png')!;
    expect(image).toMatchObject({ contentId: '<logo>', disposition: 'inline' });
  });

  test.each([
    ['NUL', Buffer.from('Subject: a\r\n\r\n\0')],
    ['a CR of its own', Buffer.from('Subject: a\r\n\r\na\rb')],
    ['a line of 2,000 characters', Buffer.from(`Subject: a\r\n\r\n${'x'.repeat(2000)}`)],
  ])('a message as a file, with %s → goes as the file it is, byte for byte', async (_what, content) => {
    const attachments = [{ filename: 'a.eml', contentType: 'message/rfc822', content }];
    const [file] = (
      await PostalMime.parse(await composeMessage(outgoingEmail({ attachments })), {
        forceRfc822Attachments: true,
      })
    ).attachments;
    expect(file).toMatchObject({ filename: 'a.eml', mimeType: 'application/octet-stream' });
    expect(Buffer.from(file!.content as ArrayBuffer).equals(content)).toBe(true);
  });

  test('a message as a file → stays one', async () => {
    const content = Buffer.from('Subject: Grüße\r\n\r\nHello\r\n');
    const attachments = [{ filename: 'a.eml', contentType: 'message/rfc822', content }];
    const read = await PostalMime.parse(await composeMessage(outgoingEmail({ attachments })), {
      forceRfc822Attachments: true,
    });
    expect(read.attachments).toMatchObject([{ filename: 'a.eml', mimeType: 'message/rfc822' }]);
  });

  test('text with a content id → a file, not a part of the body', async () => {
    const attachments = [
      { filename: 'a.html', contentType: 'text/html', content: Buffer.from('<p>b</p>'), contentId: 'a' },
    ];
    expect(await source({ attachments })).toContain('Content-Disposition: attachment; filename=a.html\r\n');
  });

  test('an attachment named like a path or a link → content only, nothing is read or fetched', async () => {
    const attachments = [
      { filename: '/etc/passwd', contentType: 'text/plain', content: Buffer.from('mine') },
      { filename: 'https://example.com/x', contentType: 'text/plain', content: Buffer.from('also mine') },
    ];
    const parsed = await PostalMime.parse(await composeMessage(outgoingEmail({ attachments })));
    const contents = parsed.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer).toString());
    expect(contents).toEqual(['mine', 'also mine']);
  });
});

test.each([
  ['text and HTML', { text: 'Grüße', html: '<p>Grüße</p>' }],
  ['text alone', { text: 'Hello', html: '' }],
  ['HTML alone', { text: '', html: '<p>Hello</p>' }],
  ['lines', { text: 'a\nb\n', html: '<p>a</p>\n<p>b</p>' }],
  ['lines of every kind', { text: 'a\r\nb\rc\nd', html: '\n.\n..\r\n' }],
  ['vertical white space', { text: 'a\vb', html: '<p>a\fb</p>' }],
])('%s as texts → on the wire the same as its bytes', async (_what, parts) => {
  await expectSameWire(parts);
});

test('any text and HTML as texts → on the wire the same as their bytes', async () => {
  await fc.assert(
    fc.asyncProperty(bodyText, bodyText, (text, html) => expectSameWire({ text, html })),
    {
      numRuns: 300,
    },
  );
});

async function expectSameWire(parts: { text: string; html: string }): Promise<void> {
  const email = outgoingEmail(parts);
  const fromTexts = encodeForWire(composeTexts(email)!).content.toString();
  expect(fromTexts).toBe(encodeForWire(await composeMessage(email)).content.toString());
}

test('a body of 512 KB → no text of it, and bytes that are read back', async () => {
  const html = `<p>${'Grüße aus Köln. '.repeat(32 * 1024)}</p>`;
  const email = outgoingEmail({ text: 'Grüße', html });
  expect(composeTexts(email)).toBeNull();
  const read = await PostalMime.parse(await composeMessage(email));
  expect([read.html?.trimEnd(), read.text?.trimEnd()]).toEqual([html, 'Grüße']);
});
