/**
 * A message's HTML, made ready for its frame: inline images (`cid:`) become data, links open in a tab of
 * their own. The markup is not cleaned, on purpose: a developer must see what was sent. That it can do
 * nothing is the policy's work: no script, no network, no forms, an origin of its own. The answer is never larger
 * than the message and its images once, plus 1 MB for images that are shown more than once.
 */
import { endOfStartTag } from '../../render/index.js';

export const FRAME_POLICY = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ');

export interface PresentedFile {
  contentType?: string;
  contentId?: string | null;
  /** Bytes, or base64 as the ledger keeps it, which need not be decoded to be shown. */
  content: Uint8Array | string;
}

export interface PresentedMessage {
  html: string | null;
  attachments: readonly PresentedFile[];
}

export function presentHtml(message: PresentedMessage): string {
  return piecesOf(message).join('');
}

/** The same for large messages: encoded while the client takes it, so that neither it nor its images are copied whole. */
export function streamHtml(message: PresentedMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = bytesOf(piecesOf(message));
  return new ReadableStream({
    pull(controller) {
      const { done, value } = chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

function piecesOf({ html, attachments }: PresentedMessage): string[] {
  return withInlineImages(withLinksOutside(html ?? ''), attachments);
}

const CHUNK_CHARACTERS = 256 * 1024;

function* bytesOf(pieces: readonly string[]): Generator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const end = at + CHUNK_CHARACTERS;
      // Not between the two halves of a character.
      const isHalf = (piece.charCodeAt(end - 1) & 0xfc00) === 0xd800;
      const chunk = piece.slice(at, isHalf ? end + 1 : end);
      yield encoder.encode(chunk);
      at += chunk.length;
    }
  }
}

const MAX_REPEATED_CHARACTERS = 1024 ** 2;

/** The message in pieces: what stands between the images, and each image. */
function withInlineImages(html: string, attachments: readonly PresentedFile[]): string[] {
  const images = new Map<string, PresentedFile>();
  for (const attachment of attachments) {
    const { contentId = null, contentType = '' } = attachment;
    if (contentId !== null && IMAGE_TYPE.test(contentType)) images.set(contentId, attachment);
  }
  if (images.size === 0) return [html];
  const shown = new Map<string, string>();
  let left = MAX_REPEATED_CHARACTERS;
  const pieces: string[] = [];
  let written = 0;
  for (let colon = html.indexOf(':'); colon !== -1; colon = html.indexOf(':', colon + 1)) {
    if (!isAfterCid(html, colon)) continue;
    const end = endOfReference(html, colon + 1);
    if (end === colon + 1) continue;
    const reference = html.slice(colon + 1, end);
    const id = images.has(reference) ? reference : unescaped(reference);
    const again = shown.get(id);
    const image = images.get(id);
    if (image !== undefined && (again === undefined || again.length <= left)) {
      const data = again ?? asBase64(image);
      if (again !== undefined) left -= again.length;
      shown.set(id, data);
      pieces.push(html.slice(written, colon - 'cid'.length), `data:${image.contentType};base64,`, data);
      written = end;
    }
    colon = end - 1;
  }
  pieces.push(html.slice(written));
  return pieces;
}

/** Step by step, and only what is replaced is cut out: a replacement by pattern makes strings of all it looks at. */
function isAfterCid(html: string, colon: number): boolean {
  return (
    (html.charCodeAt(colon - 1) | 0x20) === 0x64 &&
    (html.charCodeAt(colon - 2) | 0x20) === 0x69 &&
    (html.charCodeAt(colon - 3) | 0x20) === 0x63
  );
}

function endOfReference(html: string, from: number): number {
  ENDS_REFERENCE.lastIndex = from;
  return ENDS_REFERENCE.exec(html)?.index ?? html.length;
}

const ENDS_REFERENCE = /["'\s)>]/g;
const IMAGE_TYPE = /^image\/[a-z0-9.+-]+$/;

function asBase64({ content }: PresentedFile): string {
  if (typeof content === 'string') return content;
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('base64');
}

/** Without decodeURIComponent, which throws for each that is malformed, and a throw costs as much as a page. */
function unescaped(reference: string): string {
  if (!reference.includes('%')) return reference;
  const bytes = Buffer.from(reference)
    .toString('latin1')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** Without this a link would replace the message inside its frame, where the policy blocks it. */
function withLinksOutside(html: string): string {
  const base = '<base target="_blank">';
  const head = endOfStartTag(html, 'head');
  if (head !== -1) return html.slice(0, head) + base + html.slice(head);
  const [doctype = null] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
  if (doctype === null) return `<!doctype html>${base}${html}`;
  return doctype + base + html.slice(doctype.length);
}
