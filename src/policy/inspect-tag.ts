import type { Token } from 'parse5';
import { inspectCss } from './inspect-css.js';

/**
 * The rules for one start tag, its attribute values already decoded: no script element, no event handler, no URL
 * that runs, no style that executes. HTML carried inside an attribute is put into `inner` to be read on its own.
 * Judges every attribute a client could follow, not a list of known ones; attributes shown as text are left alone.
 */
export function inspectTag(tag: Token.TagToken, inner: Set<string>): string | null {
  if (SCRIPT_NAME.test(tag.tagName)) return 'contains a script element';
  // A frameset makes readers disagree about where raw text begins; email has no use for it.
  if (tag.tagName === 'frameset') return 'contains a frameset';
  for (const attribute of tag.attrs) {
    const finding = inspectAttribute(tag, attribute, inner);
    if (finding !== null) return finding;
  }
  return null;
}

const SCRIPT_NAME = /(?:^|:)script(?![\w-])/;
const ANIMATION_NAME = /(?:^|:)(?:set|animate)/;
/** A malformed tag can leave a quote in front of the name, which some readers drop. */
const EVENT_HANDLER = /(?:^|["'`<])on[^"'`<]*$/;
const TEXT_ATTRIBUTE = /^(?:alt|title|summary|label|placeholder|abbr|standby|value|content|aria-.*|data-.*)$/;
const LIST_ATTRIBUTE = /^(?:srcset|imagesrcset|ping|archive)$/;
const SKIPPED_IN_URLS = /[\x00-\x20\x7f-\x9f]+/g;
const ACTIVE_DATA =
  'data:(?:text/html|text/xsl|(?:text|application)/xml|application/xhtml|image/svg|[a-z]+/(?:x-)?[a-z]*script)';
const DATA_URL = new RegExp(`^[^a-z0-9/?#.]*${ACTIVE_DATA}`, 'i');
const URL_IN_LIST = new RegExp(`script:|${ACTIVE_DATA}`, 'i');

function inspectAttribute(
  tag: Token.TagToken,
  attribute: Token.Attribute,
  inner: Set<string>,
): string | null {
  const { name, value } = attribute;
  if (value === '') return null;
  if (EVENT_HANDLER.test(name)) return 'contains an event handler attribute';
  if (name === 'style') return inspectCss(value);
  if (name === 'srcdoc') inner.add(value);
  if (name === 'type' && tag.tagName === 'style' && /script/i.test(value))
    return 'contains a script as a style sheet';
  if (ANIMATION_NAME.test(tag.tagName)) return inspectAnimation(attribute, inner);
  if (!value.includes(':') || isShownAsText(tag, name)) return null;
  const url = value.replace(SKIPPED_IN_URLS, '');
  if (LIST_ATTRIBUTE.test(name) || TEXT_ATTRIBUTE.test(name))
    return URL_IN_LIST.test(url) ? `contains a script URL in ${name}` : null;
  if (isScriptUrl(url)) return 'contains a script URL';
  // An SVG picture shown as a picture cannot run.
  if (DATA_URL.test(url) && !(tag.tagName === 'img' && name === 'src' && /^data:image/i.test(url)))
    return 'contains a data: URL that can run';
  return null;
}

/**
 * Whether it begins with a scheme that ends in "script", behind up to four others (`view-source:`) and what some
 * readers skip. Step by step, because one expression for it tries every way to divide a long run of hyphens.
 */
function isScriptUrl(url: string): boolean {
  const start = url.search(/[a-z0-9/?#.]/i);
  if (start === -1) return false;
  SCHEME.lastIndex = start;
  for (let schemes = 0; schemes <= MAX_OUTER_SCHEMES; schemes++) {
    const scheme = SCHEME.exec(url)?.[0].toLowerCase();
    if (scheme === undefined) return false;
    if (scheme.endsWith('script:') && !scheme.includes('-')) return true;
  }
  return false;
}

const SCHEME = /[a-z-]+:/iy;
const MAX_OUTER_SCHEMES = 4;

/** `content` is followed only when it stands for a header, `value` only when it is an object's parameter. */
function isShownAsText(tag: Token.TagToken, name: string): boolean {
  if (!TEXT_ATTRIBUTE.test(name)) return false;
  if (name === 'content') return !tag.attrs.some((other) => other.name === 'http-equiv');
  return name !== 'value' || tag.tagName !== 'param';
}

/** Animations write other attributes: `to`, `values` and their like become URLs, handlers or markup. */
function inspectAnimation(attribute: Token.Attribute, inner: Set<string>): string | null {
  const { name, value } = attribute;
  if (name === 'attributename' && /^\s*on/i.test(value)) return 'contains an animated event handler';
  if (URL_IN_LIST.test(value.replace(SKIPPED_IN_URLS, ''))) return 'contains a script URL in an animation';
  if (value.includes('<')) inner.add(value);
  return null;
}
