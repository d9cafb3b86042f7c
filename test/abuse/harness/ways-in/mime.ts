import { distinct, type Entry, framed, tokens } from '../dictionary.js';

/**
 * Messages as text, for every way in that reads mail: each header with each token, bodies in each encoding, and shapes
 * that a reader builds trees and lists of. Lines end in CR LF, since others are refused at once.
 */
export interface Message {
  field: string;
  entry: string;
  make(bytes: number): string;
  /** The most that is worth trying: headers end at 256 KB. */
  most: number;
}

const KB = 1024;
const HEADER_BYTES = 250 * KB;
const HEAD = 'From: app@example.com\r\nTo: reader@example.net\r\nSubject: x\r\nMIME-Version: 1.0\r\n';

const HEADERS = [
  ...[
    'Subject',
    'From',
    'To',
    'Cc',
    'Reply-To',
    'Sender',
    'Date',
    'Message-ID',
    'In-Reply-To',
    'References',
    'Content-Type',
  ],
  ...[
    'Content-Disposition',
    'Content-Transfer-Encoding',
    'Content-ID',
    'List-Unsubscribe',
    'X-Any',
    'Received',
  ],
  ...['X-Postrider-Type', 'X-Postrider-Scheduled-At', 'X-Postrider-Idempotency-Key', 'X-Postrider-Lang'],
];

/** Before and after a repetition within the value of a header. */
const VALUES: ReadonlyArray<readonly [before: string, after: string]> = [
  ['', ''],
  ['multipart/mixed; boundary="', '"'],
  ['text/plain; charset=', ''],
  ['text/plain; format=flowed; a="', '"'],
  ['attachment; filename="', '"'],
  ["attachment; filename*0*=utf-8''", ''],
  ['"', '" <a@example.com>'],
  ['Group: ', ';'],
  ['<', '>'],
  ['=?utf-8?q?', '?='],
  ['=?utf-8?b?', '?='],
];

const ENCODINGS = ['7bit', '8bit', 'base64', 'quoted-printable', 'x-uuencode'];
const CONTENT_TYPES = [
  ...[
    'text/plain',
    'text/html',
    'text/plain; format=flowed',
    'text/plain; format=flowed; delsp=yes',
    'text/html; charset=utf-7',
  ],
  ...[
    'text/plain; charset=iso-2022-jp',
    'text/plain; charset=utf-16',
    'text/calendar',
    'message/rfc822',
    'application/octet-stream',
  ],
];

export const messages: Message[] = [
  ...HEADERS.flatMap((header) => [...tokens, ...distinct].map((entry) => inHeader(header, '', entry, ''))),
  ...['From', 'To', 'Content-Type', 'Content-Disposition', 'Subject'].flatMap((header) =>
    VALUES.flatMap(([before, after]) => tokens.map((entry) => inHeader(header, before, entry, after))),
  ),
  ...tokens.map((entry) => inHeaderName(entry)),
  ...CONTENT_TYPES.flatMap((type) =>
    ENCODINGS.flatMap((encoding) => tokens.map((entry) => inBody(type, encoding, entry))),
  ),
  ...[...tokens, ...distinct, ...framed].map((entry) => inBody('text/html', '8bit', entry)),
  ...shapes(),
];

function inHeader(header: string, before: string, entry: Entry, after: string): Message {
  const content = header.startsWith('Content-');
  return {
    field: `${content ? 'part ' : ''}${header}`,
    entry: before === '' ? entry.name : `${before}${entry.name}…${after}`,
    most: HEADER_BYTES,
    make(bytes) {
      const line = `${header}: ${before}${foldedHeader(entry.make(bytes - HEAD.length - 100))}${after}\r\n`;
      const kept = HEAD.split('\r\n').filter((known) => !known.startsWith(`${header}:`));
      // On a part of its own, where a reader looks at every one.
      if (content)
        return `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${line}\r\nx\r\n--b--\r\n`;
      return `${kept.join('\r\n')}${line}\r\nx\r\n`;
    },
  };
}

function inHeaderName(entry: Entry): Message {
  return {
    ...{ field: 'header names', entry: entry.name, most: HEADER_BYTES },
    make: (bytes) => `${HEAD}${oneLine(entry.make(bytes - 300))}: x\r\n\r\nx\r\n`,
  };
}

function inBody(type: string, encoding: string, entry: Entry): Message {
  return {
    ...{ field: `body ${type} ${encoding}`, entry: entry.name, most: 16 * KB * KB },
    make: (bytes) =>
      `${HEAD}Content-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${lines(entry.make(bytes - 400))}\r\n`,
  };
}

function shapes(): Message[] {
  const mixed = (boundary = 'b') => `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n`;
  const repeated = (text: string, bytes: number) => text.repeat(Math.max(1, Math.floor(bytes / text.length)));
  const shape = (entry: string, most: number, make: (bytes: number) => string): Message => ({
    ...{ field: 'shape', entry, most, make: (bytes) => HEAD + make(bytes - HEAD.length - 100) },
  });
  const MB = KB * KB;
  return [
    shape('empty parts', 16 * MB, (bytes) => mixed() + repeated('--b\r\n\r\n', bytes)),
    shape('boundaries alone', 16 * MB, (bytes) => mixed() + repeated('--b\r\n', bytes)),
    shape(
      'small files',
      16 * MB,
      (bytes) => mixed() + repeated('--b\r\nContent-Disposition: attachment; filename=a\r\n\r\na\r\n', bytes),
    ),
    shape('small texts', 16 * MB, (bytes) => mixed() + repeated('--b\r\n\r\na\r\n', bytes)),
    shape(
      'small HTML parts',
      16 * MB,
      (bytes) => mixed() + repeated('--b\r\nContent-Type: text/html\r\n\r\n<b>\r\n', bytes),
    ),
    shape('messages in messages', 16 * MB, (bytes) =>
      repeated('Content-Type: message/rfc822\r\n\r\n', bytes),
    ),
    shape(
      'small messages',
      16 * MB,
      (bytes) => mixed() + repeated('--b\r\nContent-Type: message/rfc822\r\n\r\nA: b\r\n\r\nc\r\n', bytes),
    ),
    shape('deep parts', 16 * MB, (bytes) => {
      const deep = Array.from(
        { length: Math.floor(bytes / 60) },
        (_, depth) => `${mixed(`b${depth}`)}--b${depth}\r\n`,
      );
      return deep.join('');
    }),
    shape('a long boundary almost met', 16 * MB, (bytes) => {
      const boundary = '-'.repeat(69);
      return mixed(`"${boundary}x"`) + repeated(`${boundary}-\r\n`, bytes);
    }),
    shape('a line without an end', 16 * MB, (bytes) => `\r\n${'a'.repeat(bytes)}`),
    shape('empty lines', 16 * MB, (bytes) => `\r\n${'\r\n'.repeat(bytes / 2)}`),
    shape('header lines', HEADER_BYTES, (bytes) => `${repeated('A: b\r\n', bytes)}\r\nx`),
    shape(
      'header lines with names of their own',
      HEADER_BYTES,
      (bytes) =>
        `${Array.from({ length: Math.floor(bytes / 13) }, (_, index) => `X-${index}: b\r\n`).join('')}\r\nx`,
    ),
    shape(
      'header lines of a part',
      16 * MB,
      (bytes) => `${mixed()}--b\r\n${repeated('A: b\r\n', bytes)}\r\nx`,
    ),
    shape(
      'continued header of a part',
      16 * MB,
      (bytes) => `${mixed()}--b\r\nA: b\r\n${repeated(' b\r\n', bytes)}\r\nx`,
    ),
    shape('continued parameters of a part', 200 * KB, (bytes) => {
      const all = Array.from({ length: Math.floor(bytes / 20) }, (_, index) => ` filename*${index}*=a;\r\n`);
      return `${mixed()}--b\r\nContent-Disposition: attachment;\r\n${all.join('')} x=y\r\n\r\nx`;
    }),
  ];
}

/** Header lines of 900 characters, as they must be to arrive. */
const foldedHeader = (text: string) => oneLine(text).replace(/.{900}(?=.)/gsu, '$&\r\n ');
const oneLine = (text: string) => text.replace(/[\r\n]+/g, ' ');

/** Lines of a body: none longer than 900 characters, and every end a CR LF. */
function lines(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '\r\n').replace(/[^\r\n]{900}/g, '$&\r\n');
}
