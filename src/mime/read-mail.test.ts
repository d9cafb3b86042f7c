import { simpleParser } from 'mailparser';
import MailComposer from 'nodemailer/lib/mail-composer';
import PostalMime from 'postal-mime';
import { describe, expect, test } from 'vitest';
import {
  bytesOf,
  decodeWords,
  flattened,
  headerOf,
  isText,
  readAddresses,
  readMail,
  readTexts,
} from './index.js';

interface Read {
  subject: string;
  from: unknown;
  to: unknown;
  text: string;
  html: string;
  files: Array<[string, string]>;
}

async function byUs(raw: Buffer): Promise<Read> {
  const mail = await readMail(raw);
  const listed = async (key: string) =>
    flattened(await readAddresses(headerOf(mail.fields, key) ?? '', key)).map(mailbox);
  const { text, html } = await readTexts(mail, { maxBytes: 512 * 1024, toText: (markup) => markup });
  const files = mail.parts.filter((part) => !isText(part));
  return {
    subject: await decodeWords(headerOf(mail.fields, 'subject') ?? ''),
    from: await listed('from'),
    to: await listed('to'),
    text: plain(text),
    html: plain(html),
    files: await Promise.all(
      files.map(
        async (part) =>
          [part.filename ?? '', plain((await bytesOf(part)).toString('latin1'))] as [string, string],
      ),
    ),
  };
}

async function byPostalMime(raw: Buffer): Promise<Read> {
  const mail = await PostalMime.parse(raw, { forceRfc822Attachments: true });
  const latin1 = (content: string | ArrayBuffer | Uint8Array) =>
    Buffer.from(content as ArrayBuffer).toString('latin1');
  return {
    subject: mail.subject ?? '',
    from: mail.from ? [mailbox(mail.from as never)] : [],
    to: (mail.to ?? []).map((one) => mailbox(one as never)),
    text: plain(mail.text),
    html: plain(mail.html),
    files: mail.attachments.map(({ filename, content }) => [filename ?? '', plain(latin1(content))]),
  };
}

async function byMailparser(raw: Buffer): Promise<Read> {
  const options = { skipHtmlToText: true, skipTextToHtml: true, skipImageLinks: true, skipTextLinks: true };
  const mail = await simpleParser(raw, options);
  const listed = (field: unknown) =>
    [field ?? []].flat().flatMap((one) => (one as { value: never[] }).value.map(mailbox));
  return {
    subject: mail.subject ?? '',
    from: listed(mail.from),
    to: listed(mail.to),
    text: plain(mail.text),
    html: plain(mail.html || ''),
    files: mail.attachments.map(({ filename, content }) => [
      filename ?? '',
      plain(content.toString('latin1')),
    ]),
  };
}

const plain = (text: string | undefined) => (text ?? '').replace(/\r\n/g, '\n').trim();
const mailbox = ({ address, name }: { address: string; name?: string }) => ({ address, name: name ?? '' });

const PICTURE = Buffer.from(Array.from({ length: 3000 }, (_, n) => (n * 7) % 256));
const INNER = 'From: a@example.com\r\nSubject: Inner\r\n\r\nThe message within\r\n';
const HEAD =
  'From: Ann <ann@example.com>\r\nTo: Bob <bob@example.net>\r\nSubject: Hello\r\nMIME-Version: 1.0\r\n';
const written = (...lines: string[]) => Buffer.from(HEAD + lines.join('\r\n'), 'latin1');
const composed = (mail: object) =>
  new MailComposer({ from: 'Änn <ann@example.com>', to: 'Bob <bob@example.net>', ...mail }).compile().build();

/** As mail programs write them. */
const HONEST: Array<[string, () => Buffer | Promise<Buffer>]> = [
  ['plain text without any MIME', () => written('', 'Hello', '', 'Bob')],
  ['nothing but headers', () => written('')],
  ['text and HTML', () => composed({ subject: 'Grüße 🎉', text: 'Hällo', html: '<p>Hällo</p>' })],
  [
    'a picture in the HTML and a file beside it',
    () =>
      composed({
        subject: 'a',
        text: 'see',
        html: '<img src="cid:logo@app">',
        attachments: [
          { filename: 'logo.png', content: PICTURE, cid: 'logo@app' },
          { filename: 'Rechnung für Jürgen – 2026.pdf', content: PICTURE },
        ],
      }),
  ],
  [
    'a file name too long for one line',
    () => composed({ text: 'a', attachments: [{ filename: `${'ä'.repeat(90)}.txt`, content: 'x' }] }),
  ],
  [
    'a file name in pieces, one of them plain',
    () =>
      written(
        'Content-Type: application/x; name=old.bin',
        'Content-Disposition: attachment; filename*0*=UTF-8\'\'na%C3%AFve%20; filename*1="plain.bin"',
        'Content-Transfer-Encoding: base64',
        '',
        'AAEC',
      ),
  ],
  [
    'a file name in encoded words',
    () =>
      written(
        'Content-Type: application/pdf; name="=?iso-8859-1?Q?f=FCr.pdf?="',
        'Content-Disposition: attachment',
        'Content-Transfer-Encoding: base64',
        '',
        'AAEC',
      ),
  ],
  [
    'quoted-printable in another character set',
    () =>
      written(
        'Content-Type: text/plain; charset=iso-8859-15',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'F=FCnf =A4, und eine lange Zeile, die weiter=',
        'geht',
      ),
  ],
  [
    'text in base64 and in Japanese',
    () =>
      written(
        'Content-Type: text/plain; charset=iso-2022-jp',
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from('\x1b$B$3$s$K$A$O\x1b(B').toString('base64'),
      ),
  ],
  [
    'flowed text',
    () =>
      written('Content-Type: text/plain; format=flowed', '', 'A paragraph ', 'in two lines.', '', 'Another'),
  ],
  [
    'a message within the message',
    () =>
      written(
        'Content-Type: multipart/mixed; boundary="a b"',
        ...['', 'For old readers.', '--a b', 'Content-Type: text/plain', '', 'See below', '--a b'],
        ...[
          'Content-Type: message/rfc822',
          'Content-Disposition: attachment; filename=inner.eml',
          '',
          INNER,
          '--a b--',
          'The end.',
        ],
      ),
  ],
  [
    'multiparts in multiparts, the outer delimiter the beginning of the inner one',
    () =>
      written(
        'Content-Type: multipart/mixed; boundary=b',
        ...['', '--b', 'Content-Type: multipart/alternative; boundary=bb', ''],
        ...[
          '--bb',
          'Content-Type: text/plain',
          '',
          'plain',
          '--bb',
          'Content-Type: text/html',
          '',
          '<b>bold</b>',
          '--bb--',
        ],
        ...[
          '--b',
          'Content-Type: text/csv; name=a.csv',
          'Content-Disposition: attachment',
          '',
          'a,b',
          '1,2',
          '--b--',
          '',
        ],
      ),
  ],
  [
    'lines that look like delimiters',
    () =>
      written(
        'Content-Type: multipart/mixed; boundary=b',
        ...['', '--b', 'Content-Type: text/plain', '', '-- ', '--bc', ' --b', '--b--c', 'Ann', '--b--'],
      ),
  ],
];

/** Which mailparser reads as part of the text, or not at all. */
const LESS_COMMON: typeof HONEST = [
  [
    'an inner multipart that is never ended',
    () =>
      written(
        'Content-Type: multipart/mixed; boundary=b',
        ...[
          '',
          '--b',
          'Content-Type: multipart/alternative; boundary=c',
          '',
          '--c',
          'Content-Type: text/plain',
          '',
          'plain',
        ],
        ...[
          '--b',
          'Content-Type: text/csv; name=a.csv',
          'Content-Disposition: attachment',
          '',
          '1,2',
          '--b--',
        ],
      ),
  ],
  [
    'comments and quotes in Content-Type',
    () =>
      written(
        'Content-Type: (a comment) multipart/mixed (another); boundary="b;c" (the last)',
        ...['', '--b;c', 'Content-Type: text/plain; charset="utf-8" (UTF-8)', '', 'H\xc3\xa4llo', '--b;c--'],
      ),
  ],
  [
    'spaces after a delimiter',
    () =>
      written(
        'Content-Type: multipart/mixed; boundary=b',
        ...['', '--b \t', 'Content-Type: text/plain', '', 'plain', '--b  '],
        ...['Content-Type: text/csv; name=a.csv', 'Content-Disposition: attachment', '', '1,2', '--b-- '],
      ),
  ],
];

describe.each(HONEST)('%s', (_what, make) => {
  test('→ read as postal-mime and mailparser read it', async () => {
    const raw = await make();
    const us = await byUs(raw);
    expect(us).toEqual(await byPostalMime(raw));
    expect(us).toEqual(await byMailparser(raw));
  });
});

test.each(LESS_COMMON)('%s → read as postal-mime reads it', async (_what, make) => {
  const raw = await make();
  expect(await byUs(raw)).toEqual(await byPostalMime(raw));
});
