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

export function presentHtml({
  html,
  attachments,
}: {
  html: string | null;
  attachments: readonly PresentedFile[];
}): string {
  return withLinksOutside(withInlineImages(html ?? '', attachments));
}

const MAX_REPEATED_CHARACTERS = 1024 ** 2;

function withInlineImages(html: string, attachments: readonly PresentedFile[]): string {
  const images = new Map<string, PresentedFile>();
  for (const attachment of attachments) {
    const { contentId = null, contentType = '' } = attachment;
    if (contentId !== null && IMAGE_TYPE.test(contentType)) images.set(contentId, attachment);
  }
  if (images.size === 0) return html;
  const shown = new Map<string, string>();
  let left = MAX_REPEATED_CHARACTERS;
  let out = '';
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
      const data = again ?? asData(image);
      if (again !== undefined) left -= again.length;
      shown.set(id, data);
      out += html.slice(written, colon - 'cid'.length) + data;
      written = end;
    }
    colon = end - 1;
  }
  return written === 0 ? html : out + html.slice(written);
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

function asData({ contentType, content }: PresentedFile): string {
  if (typeof content === 'string') return `data:${contentType};base64,${content}`;
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return `data:${contentType};base64,${bytes.toString('base64')}`;
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
