/**
 * A message's HTML, made ready for its frame: inline images (`cid:`) become data, links open in a tab of
 * their own. The markup is not cleaned, on purpose: a developer must see what was sent. That it can do
 * nothing is the policy's work: no script, no network, no forms, an origin of its own.
 */
import type { OpenedAttachment, OpenedMessage } from './read-message.js';

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

export function presentHtml({ html, attachments }: Pick<OpenedMessage, 'html' | 'attachments'>): string {
  return withLinksOutside(withInlineImages(html ?? '', attachments));
}

function withInlineImages(html: string, attachments: OpenedAttachment[]): string {
  const images = new Map<string, string>();
  for (const { contentId, contentType, content } of attachments) {
    if (contentId === null || !/^image\/[a-z0-9.+-]+$/.test(contentType)) continue;
    images.set(contentId, `data:${contentType};base64,${Buffer.from(content).toString('base64')}`);
  }
  if (images.size === 0) return html;
  return html.replace(/cid:([^"'\s)>]+)/gi, (whole, id: string) => images.get(plain(id)) ?? whole);
}

function plain(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** Without this a link would replace the message inside its frame, where the policy blocks it. */
function withLinksOutside(html: string): string {
  const base = '<base target="_blank">';
  const head = /<head(?:\s[^>]*)?>/i.exec(html);
  if (head) return html.slice(0, head.index) + head[0] + base + html.slice(head.index + head[0].length);
  const doctype = /^\s*<!doctype[^>]*>/i.exec(html)?.[0] ?? '<!doctype html>';
  return doctype + base + html.replace(/^\s*<!doctype[^>]*>/i, '');
}
