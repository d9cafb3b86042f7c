import { PostriderError } from '../../kernel/index.js';
import type { OutgoingEmail } from '../provider.js';
import { composeWithAttachments } from './compose-with-attachments.js';
import { type EncodedBody, encodeBodyPart, withCrlf } from './encode-body-part.js';
import { messageHeaders } from './message-headers.js';

/**
 * The message as RFC 5322 and MIME want it, the same bytes on every attempt. The common text and
 * HTML is written here directly; attachments and inline images go through nodemailer's composer.
 * Bcc never appears. Refuses (INVALID_HEADER, INVALID_EMAIL) what would break out of a header.
 */
export function composeMessage(email: OutgoingEmail): Buffer | Promise<Buffer> {
  return email.attachments.length > 0 ? composeWithAttachments(email) : joinedBytes(pieces(email, withCrlf));
}

/**
 * The same as texts to be joined, ASCII unless an address is not, with line ends that may be LF and must become CRLF;
 * null for a message with attachments, and for a large one, whose texts are better gone before it waits in line.
 */
export function composeTexts(email: OutgoingEmail): string[] | null {
  if (email.attachments.length > 0 || email.html.length + email.text.length > MAX_TEXT) return null;
  return pieces(email, asItIs).map(asText);
}

const MAX_TEXT = 64 * 1024;

const asItIs = (text: string) => text;

const asText = (piece: Piece) => (typeof piece === 'string' ? piece : piece.toString('latin1'));

type Piece = string | Buffer;

function pieces(email: OutgoingEmail, finish: (body: string) => string): Piece[] {
  // What is encoded has its line ends; to look for them once more takes a copy of a large body.
  const ended = (part: EncodedBody) => (part.encoding === '7bit' ? finish(part.body) : part.body);
  const head = `${messageHeaders(email)}MIME-Version: 1.0\r\n`;
  const boundary = boundaryOf(email.id);
  const text = encodeBodyPart(email.text, boundary);
  const html = encodeBodyPart(email.html, boundary);
  if (email.html === '') return [`${head}${partHead('plain', text)}`, ended(text)];
  if (email.text === '') return [`${head}${partHead('html', html)}`, ended(html)];
  const multipart = `Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n\r\n--${boundary}\r\n`;
  return [
    `${head}${multipart}${partHead('plain', text)}`,
    ended(text),
    `\r\n--${boundary}\r\n${partHead('html', html)}`,
    ended(html),
    `\r\n--${boundary}--\r\n`,
  ];
}

function partHead(subtype: 'plain' | 'html', { encoding }: EncodedBody): string {
  return `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
}

function joinedBytes(parts: readonly Piece[]): Buffer {
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0));
  let at = 0;
  for (const part of parts) at += typeof part === 'string' ? bytes.write(part, at) : part.copy(bytes, at);
  return bytes;
}

/** `=_` occurs in neither quoted-printable nor base64; a 7bit part is checked for it. */
function boundaryOf(id: string): string {
  if (!/^[A-Za-z0-9-]{1,60}$/.test(id)) {
    throw new PostriderError('INVALID_PAYLOAD', 'An email id is letters, digits and hyphens.', {
      field: 'id',
    });
  }
  return `=_pr_${id}`;
}
