import { hasControlCharacter } from '../../kernel/index.js';
import { escapeHtml } from '../escape-html.js';
import type { SlotMode } from './html-context.js';
import { dataProblem } from './template-problem.js';

/**
 * A value written for the place it stands in. Refuses what has no harmless form there: a line break in a subject, an
 * address that is not http, https, mailto, tel, cid or relative.
 */
export type WriteMode = SlotMode | 'subject' | 'plain';

export function escaperFor(mode: WriteMode): (text: string, field: string) => string {
  return ESCAPERS[mode];
}

/** Of what is known when the template is compiled, CSS may hold plain words, numbers and colours. */
export function isPlainCssValue(text: string): boolean {
  return /^[\w#%,.\s'-]*$/.test(text);
}

export function isAllowedUrl(url: string): boolean {
  return !UNSAFE_IN_URL.test(url) && ALLOWED_URL.test(url);
}

const UNSAFE_IN_URL = /[\x00-\x20\x7f-\x9f\\]/;
const ALLOWED_URL = /^(?:https?:\/\/[^/?#]|mailto:.|tel:.|cid:.|(?!\/\/)[^:/?#]*[/?#]|[^:/?#]+$)/i;

const ESCAPERS: Record<WriteMode, (text: string, field: string) => string> = {
  text: escapeHtml,
  attribute: escapeHtml,
  url(text, field) {
    if (!isAllowedUrl(text))
      throw dataProblem(field, 'is not a link: http, https, mailto, tel, cid or relative');
    return escapeHtml(text);
  },
  'url-part': (text, field) => escapeHtml(encodePart(text, field)),
  'address-part': (text, field) =>
    escapeHtml(encodePart(text, field).replace(/%40/g, '@').replace(/%2B/g, '+')),
  style(_, field) {
    throw dataProblem(field, 'cannot stand in a style');
  },
  subject(text, field) {
    if (hasControlCharacter(text)) throw dataProblem(field, 'contains a control character');
    return text;
  },
  plain: (text) => text,
};

function encodePart(text: string, field: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw dataProblem(field, 'is not valid Unicode');
  }
}
