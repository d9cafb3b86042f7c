import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { simpleParser } from 'mailparser';
import PostalMime, { decodeWords } from 'postal-mime';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { isPostriderError } from '../../src/kernel/index.js';
import { composeMessage, type OutgoingEmail } from '../../src/providers/index.js';
import { bodyText, visibleText } from '../../src/providers/mime/any-text.fixture.js';
import { describeWith } from '../services/index.js';
import { throughIntake } from './ground/through-intake.js';
import { type PythonReader, startPythonReader } from './readers/start-python-reader.js';

/** Whatever intake takes, three readers written by others give back: subject, bodies, addresses, headers and files. */
const address = fc
  .tuple(
    fc.stringMatching(/^[a-z0-9][a-z0-9.+_-]{0,30}[a-z0-9]$/).filter((local) => !local.includes('..')),
    fc.constantFrom(
      'example.com',
      'sub.example.org',
      'bücher.example',
      '例え.jp',
      `${'d'.repeat(60)}.example`,
    ),
  )
  .map(([local, domain]) => `${local}@${domain}`);
// Readers decode what looks encoded in a name or a value in ASCII, which is how callers hand in words they encoded.
const unencoded = (text: string) => text.replaceAll('=?', '=-');
const mailbox = fc.oneof(
  address,
  fc.record({ address, name: visibleText.filter((name) => name.length <= 256) }),
);
const words = visibleText.map(unencoded);
const headers = fc.record(
  {
    'X-Words': words,
    Comments: words,
    'X-A-Name-That-Is-Longer-Than-Most-Names-Of-Headers-In-Any-Mail': words,
    'X-Numbers': fc.array(fc.integer(), { maxLength: 120 }).map((all) => all.join(' ').slice(0, 2000)),
    'List-Id': fc
      .tuple(words, fc.constantFrom('list.example.com', 'größe.bücher.example'))
      .map(([name, id]) => `${name.replace(/[<>"]/g, '')} <${id}>`),
    'List-Unsubscribe': fc.constantFrom(
      '<https://example.com/u?a=1>, <mailto:u@example.com>',
      '<https://bücher.example:8443/über?für=Ünal#ß>, <mailto:ü@bücher.example?subject=Größe>',
      `<https://example.com/${'t'.repeat(800)}>`,
    ),
    References: fc
      .array(fc.constantFrom('<a@example.com>', `<${'b'.repeat(90)}@example.com>`), {
        minLength: 1,
        maxLength: 15,
      })
      .map((ids) => ids.join(' ')),
    'Disposition-Notification-To': words.map(
      (name) => `"${[...name.replace(/["\\]/g, '')].slice(0, 100).join('') || 'A'}" <ann@bücher.example>`,
    ),
  },
  { requiredKeys: [] },
);
const file = fc.record(
  {
    // See mime-readers.test.ts for what readers make of the others.
    filename: visibleText
      .map((name) => name.replace(/[/\\*<>]|=\?|constructor|__proto__/gi, '-').replace(/^"(.*)"$/su, '-$1-'))
      .filter((name) => Buffer.byteLength(name) <= 255 && !/^\.*$/.test(name)),
    contentType: fc.constantFrom(
      'application/octet-stream',
      'application/pdf',
      'image/png',
      'text/plain',
      'text/plain; charset=utf-8',
      'text/html',
      'text/csv',
      'text/x-vcard; charset="utf-8"',
      "application/x!y'z",
      'APPLICATION/PDF',
    ),
    content: fc
      .oneof(
        fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
        bodyText.map((text) => Buffer.from(text)),
        fc.constant(Buffer.from('a\rb\nc\r\n\r\n.\n..\n\0')),
      )
      .map((bytes) => bytes.toString('base64')),
    contentId: fc.stringMatching(/^[A-Za-z0-9.!#$%&'*+/_{|}~@-]{1,60}$/),
  },
  { requiredKeys: ['filename', 'content'] },
);
const input = fc.record(
  {
    subject: visibleText.filter((text) => [...text].length <= 150),
    from: mailbox,
    to: fc.array(mailbox, { minLength: 1, maxLength: 5 }),
    cc: fc.array(mailbox, { maxLength: 3 }),
    replyTo: fc.array(mailbox, { maxLength: 2 }),
    text: bodyText,
    html: bodyText,
    headers,
    attachments: fc.array(file, { maxLength: 3 }),
  },
  { requiredKeys: ['subject', 'to', 'text'] },
);

const RUNS = { numRuns: Number(process.env.RUNS ?? 300) };

async function composed(given: object): Promise<{ sent: OutgoingEmail; message: Buffer }> {
  const sent = await throughIntake(given);
  if (isPostriderError(sent)) throw sent;
  return { sent, message: await composeMessage(sent) };
}

test('anything a person would write → postal-mime reads it back equal', async () => {
  await fc.assert(
    fc.asyncProperty(input, async (given) => {
      const { sent, message } = await composed(given);
      const read = await PostalMime.parse(message);
      expect(read.subject).toBe(sent.subject);
      expect([read.from]).toEqual(named([sent.from]));
      expect(read.to ?? []).toEqual(named(sent.to));
      expect(read.cc ?? []).toEqual(named(sent.cc));
      expect(read.replyTo ?? []).toEqual(named(sent.replyTo));
      expect(withoutEnd(read.text)).toBe(withoutEnd(sent.text));
      expect(withoutEnd(read.html)).toBe(withoutEnd(sent.html));
      expectHeaders(
        sent,
        read.headers.map(({ originalKey, value }) => [originalKey, decodeWords(value)]),
      );
      const files = read.attachments.map((each) => [
        each.filename,
        Buffer.from(each.content as ArrayBuffer).toString('base64'),
        each.contentId ?? null,
      ]);
      expect(sortedFiles(files)).toEqual(sortedFiles(filesOf(sent)));
    }),
    RUNS,
  );
});

test('anything a person would write → mailparser reads it back equal', async () => {
  await fc.assert(
    fc.asyncProperty(input, async (given) => {
      const { sent, message } = await composed(given);
      const read = await simpleParser(message, {
        skipHtmlToText: true,
        skipTextToHtml: true,
        skipImageLinks: true,
        skipTextLinks: true,
      });
      expect(read.subject).toBe(sent.subject);
      const to = [read.to ?? []].flat().flatMap(({ value }) => value);
      // It shows domains as people write them.
      expect(to.map(({ address = '' }) => domainInAscii(address))).toEqual(sent.to.map((one) => one.address));
      expect(to.map(({ name }) => name)).toEqual(sent.to.map(({ name = '' }) => name));
      expect(withoutEnd(read.text)).toBe(withoutEnd(sent.text));
      expect(withoutEnd(read.html || '')).toBe(withoutEnd(sent.html));
      const unspaced = (files: unknown[][]) =>
        sortedFiles(files.map(([name, ...rest]) => [String(name).replaceAll(' ', ''), ...rest]));
      const files = read.attachments.map((each) => [
        each.filename ?? '',
        each.content.toString('base64'),
        each.contentId ?? null,
      ]);
      expect(unspaced(files)).toEqual(unspaced(filesOf(sent)));
    }),
    RUNS,
  );
});

describeWith('python')('anything a person would write', () => {
  let reader: PythonReader;
  beforeAll(() => {
    reader = startPythonReader(inject('pythonUrl')!);
  });
  afterAll(() => reader.stop());

  test("→ Python's email reads it back equal and finds no defect", async () => {
    await fc.assert(
      fc.asyncProperty(input, async (given) => {
        const { sent, message } = await composed(given);
        const read = await reader.read(message);
        expect(read).toMatchObject({ subject: sent.subject, messageId: sent.messageId, defects: [] });
        expect(read.from).toEqual(named([sent.from]));
        expect(read.to).toEqual(named(sent.to));
        expect(read.cc).toEqual(named(sent.cc));
        expect(read.replyTo).toEqual(named(sent.replyTo));
        expect(withoutEnd(read.text)).toBe(withoutEnd(sent.text));
        expect(withoutEnd(read.html)).toBe(withoutEnd(sent.html));
        expectHeaders(sent, read.headers);
        const files = read.attachments.map((each) => [each.filename, each.content, each.contentId]);
        expect(sortedFiles(files)).toEqual(sortedFiles(filesOf(sent)));
      }),
      RUNS,
    );
  });
});

function expectHeaders({ headers: sent }: OutgoingEmail, read: string[][]): void {
  const found = new Map(read.map(([name, value]) => [name, value]));
  for (const [name, value] of Object.entries(sent)) {
    const shown = found.get(name) ?? `no ${name}`;
    if (name === 'Disposition-Notification-To')
      expect(plain(shown.replaceAll('"', ''))).toBe(plain(inAscii(value).replaceAll('"', '')));
    else expect(plain(shown), name).toBe(plain(inAscii(value)));
  }
}

const plain = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Links and domains have another form in ASCII; all else is what was given. */
function inAscii(value: string): string {
  return value
    .replace(
      '<https://bücher.example:8443/über?für=Ünal#ß>',
      '<https://xn--bcher-kva.example:8443/%C3%BCber?f%C3%BCr=%C3%9Cnal#%C3%9F>',
    )
    .replace(
      '<mailto:ü@bücher.example?subject=Größe>',
      '<mailto:%C3%BC@xn--bcher-kva.example?subject=Gr%C3%B6%C3%9Fe>',
    )
    .replace('<größe.bücher.example>', '<xn--gre-6ka8i.xn--bcher-kva.example>')
    .replace('<ann@bücher.example>', '<ann@xn--bcher-kva.example>');
}

function domainInAscii(address: string): string {
  const [local = '', domain = ''] = address.split('@');
  return `${local}@${domainToASCII(domain)}`;
}

function named(mailboxes: OutgoingEmail['to']): object[] {
  return mailboxes.map(({ address, name = '' }) => ({ address, name }));
}

function filesOf({ attachments }: OutgoingEmail): unknown[][] {
  return attachments.map(({ filename, content, contentId }) => [
    filename,
    content.toString('base64'),
    contentId === undefined ? null : `<${contentId}>`,
  ]);
}

/** Files shown in the HTML come before the others. */
function sortedFiles(files: unknown[][]): unknown[][] {
  return files
    .map((file) => JSON.stringify(file))
    .sort()
    .map((file) => JSON.parse(file) as unknown[]);
}

function withoutEnd(text: string | null | undefined): string {
  return (text ?? '').replace(/\r\n/g, '\n').replace(/\n+$/, '');
}
