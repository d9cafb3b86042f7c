import { PostriderError } from '../../kernel/index.js';
import type { OutgoingEmail } from '../provider.js';
import { composeWithAttachments } from './compose-with-attachments.js';
import { encodeBodyPart } from './encode-body-part.js';
import { messageHeaders } from './message-headers.js';

/**
 * The message as RFC 5322 and MIME want it, the same bytes on every attempt. The common text and
 * HTML is written here directly; attachments and inline images go through nodemailer's composer.
 * Bcc never appears. Refuses (INVALID_HEADER, INVALID_EMAIL) what would break out of a header.
 */
export function composeMessage(email: OutgoingEmail): Buffer | Promise<Buffer> {
  return email.attachments.length > 0 ? composeWithAttachments(email) : joinedBytes(pieces(email));
}

/**
 * The same as texts to be joined, ASCII unless an address is not; null for a message with attachments, and for a large
 * one, whose texts are better gone before it waits in line.
 */
export function composeTexts(email: OutgoingEmail): string[] | null {
  if (email.attachments.length > 0 || email.html.length + email.text.length > MAX_TEXT) return null;
  return pieces(email);
}

const MAX_TEXT = 64 * 1024;

function pieces(email: OutgoingEmail): string[] {
  const head = `${messageHeaders(email)}MIME-Version: 1.0\r\n`;
  const boundary = boundaryOf(email.id);
  if (email.html === '') return [head, ...part('text/plain', email.text, boundary)];
  if (email.text === '') return [head, ...part('text/html', email.html, boundary)];
  return [
    `${head}Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n\r\n--${boundary}\r\n`,
    ...part('text/plain', email.text, boundary),
    `\r\n--${boundary}\r\n`,
    ...part('text/html', email.html, boundary),
    `\r\n--${boundary}--\r\n`,
  ];
}

function part(type: string, content: string, boundary: string): [head: string, body: string] {
  const { encoding, body } = encodeBodyPart(content, boundary);
  return [`Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`, body];
}

function joinedBytes(texts: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
  let at = 0;
  for (const text of texts) at += bytes.write(text, at);
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
