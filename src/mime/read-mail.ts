import { decodeWords } from './addresses.js';
import { decodeBody, type TransferEncoding, takeAsBase64, transferEncodingOf } from './decode-body.js';
import { decoderFor } from './decoder-for.js';
import { type FoundPart, findParts } from './find-parts.js';
import { type HeaderField, headerOf } from './header-fields.js';
import { Pace } from './pace.js';
import { readStructuredValue } from './structured-value.js';
import { unflowed } from './unflowed.js';

/**
 * A message that came from outside, taken apart: its header fields and its parts, whose bodies stay encoded until they
 * are asked for. It takes time and memory in proportion to its bytes, in slices between which the process goes on, and
 * refuses with PAYLOAD_TOO_LARGE or INVALID_MESSAGE what has more parts, header fields or depth than `mail-limits.ts` says.
 */
export async function readMail(raw: Uint8Array): Promise<Mail> {
  const pace = new Pace();
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const found = await findParts(bytes, pace);
  const parts: MailPart[] = [];
  for (const one of found) if (!one.isMultipart) parts.push(await partOf(one, pace));
  return { fields: found[0]!.fields, type: found[0]!.contentType.value, parts };
}

export interface Mail {
  /** Of the message itself. */
  fields: HeaderField[];
  /** Of the message itself, in lower case. */
  type: string;
  /** In their order, without the multiparts around them; a message inside the message is one part. */
  parts: MailPart[];
}

export interface MailPart {
  /** In lower case. */
  type: string;
  disposition: string | null;
  filename: string | null;
  contentId: string | null;
  /** Of an invitation. */
  method: string | null;
  /** The place of the closest multipart/alternative around it; those of one place say the same. */
  alternative: number | null;
  /** Inside a multipart/related, where a Content-ID makes it part of the HTML. */
  related: boolean;
  /** As it came. */
  body: Buffer;
  encoding: TransferEncoding;
  params: ReadonlyMap<string, string>;
  pace: Pace;
}

/** Text to be shown, and no file. */
export function isText({ type, disposition }: MailPart): boolean {
  return (type === 'text/plain' || type === 'text/html') && disposition !== 'attachment';
}

/** What a part stands for; of a large one only what the first `atMost` bytes of it say. */
export function bytesOf({ body, encoding, pace }: MailPart, atMost = body.length): Promise<Buffer> {
  return decodeBody(body.subarray(0, atMost), encoding, pace);
}

/** As strict base64. The bytes of the message are used for it: a part can be taken once. */
export function takeBase64(part: MailPart): Promise<string> {
  const { body, encoding, pace } = part;
  part.body = EMPTY;
  return takeAsBase64(body, encoding, pace);
}

/** With line ends of Unix. Null where it is longer than `maxLength`. */
export async function textOf(part: MailPart, maxLength: number): Promise<string | null> {
  const { params, encoding } = part;
  const bytes = await bytesOf(part);
  const lines = encoding === 'base64' ? bytes : withoutReturns(bytes);
  const text = decoderFor(params.get('charset')).decode(lines);
  if (text.length > maxLength) return null;
  const whole = encoding === 'base64' || text === '' ? text : `${text}\n`;
  if (params.get('format')?.toLowerCase() !== 'flowed') return whole;
  return unflowed(whole, params.get('delsp')?.toLowerCase() === 'yes');
}

/** CRLF as LF; in the bytes, which takes a twentieth of what it takes in a string of many lines. */
function withoutReturns(bytes: Buffer): Buffer {
  if (!bytes.includes(CR)) return bytes;
  const out = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte !== CR || bytes[at + 1] !== LF) out[length++] = byte;
  }
  return out.subarray(0, length);
}

const CR = 0x0d;
const LF = 0x0a;
const EMPTY = Buffer.alloc(0);

async function partOf(found: FoundPart, pace: Pace): Promise<MailPart> {
  const { fields, contentType, body, alternative, related } = found;
  const { params } = contentType;
  const disposition = readStructuredValue(headerOf(fields, 'content-disposition') ?? '');
  const filename = disposition.params.get('filename') || params.get('name') || null;
  return {
    type: contentType.value,
    disposition: disposition.value || null,
    filename: filename && (await decodeWords(filename)),
    contentId: headerOf(fields, 'content-id') || null,
    method: params.get('method')?.toUpperCase().trim() || null,
    alternative,
    related,
    body,
    encoding: transferEncodingOf(headerOf(fields, 'content-transfer-encoding')),
    params,
    pace,
  };
}
