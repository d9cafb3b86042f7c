/**
 * Finds CSS that executes: expression(), bindings, behaviours other than Outlook's VML, and script URLs. Looks at
 * the text as written and again with comments removed and escapes decoded, since either can hide a word from the
 * other. Does not judge CSS that only draws.
 */
export function inspectCss(css: string): string | null {
  if (!WORTH_A_LOOK.test(css)) return null;
  const isActive =
    executes(decodeEscapes(css)) || (css.includes('/*') && executes(decodeEscapes(withoutComments(css))));
  return isActive ? 'contains CSS that executes' : null;
}

const WORTH_A_LOOK = /[(\\@]|binding|behavior/i;
const EXECUTABLE = /expression\s*\(|-moz-binding|(?<![\w-])behavior\s*:\s*url\((?!\s*["']?#default)/i;
const SKIPPED_IN_URLS = /[\x00-\x20\x7f-\x9f]+/g;
const SCRIPT_URL = /(?:url\(|@import)["']*(?:[a-z]*script:|data:(?:text\/html|application\/xhtml))/i;

function executes(css: string): boolean {
  return EXECUTABLE.test(css) || SCRIPT_URL.test(css.replace(SKIPPED_IN_URLS, ''));
}

/**
 * A backslash and up to six hexadecimal digits with one space, or a backslash and the character itself. Unit by unit,
 * because half a megabyte of escapes takes a replacement by pattern a tenth of a second.
 */
function decodeEscapes(css: string): string {
  if (!css.includes('\\')) return css;
  const units = new Uint16Array(css.length);
  let length = 0;
  for (let at = 0; at < css.length; ) {
    const unit = css.charCodeAt(at);
    const first = at + 1;
    if (unit !== BACKSLASH || first === css.length) {
      units[length++] = unit;
      at = first;
      continue;
    }
    let end = first;
    let code = 0;
    for (; end < first + MAX_DIGITS && isHexDigit(css.charCodeAt(end)); end++)
      code = code * 16 + digitOf(css.charCodeAt(end));
    if (end === first) {
      const escaped = css.charCodeAt(first);
      const isLineEnd = escaped === LINE_FEED || css.startsWith('\r\n', first);
      if (!isLineEnd) units[length++] = escaped;
      at = first + (isLineEnd && escaped !== LINE_FEED ? 2 : 1);
      continue;
    }
    at = isSpace(css.charCodeAt(end)) ? end + 1 : end;
    if (code < 0x1_0000) units[length++] = code;
    else if (code <= 0x10_ffff) {
      units[length++] = 0xd800 | ((code - 0x1_0000) >> 10);
      units[length++] = 0xdc00 | (code & 0x3ff);
    }
  }
  return Buffer.from(units.buffer, 0, length * 2).toString('utf16le');
}

const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const MAX_DIGITS = 6;

function isHexDigit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x66);
}

function digitOf(unit: number): number {
  return unit <= 0x39 ? unit - 0x30 : (unit | 0x20) - 0x57;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === LINE_FEED || unit === 0x0c || unit === 0x0d;
}

/** With indexOf, because a pattern would rescan the rest for every comment that is never closed. */
function withoutComments(css: string): string {
  let rest = '';
  let from = 0;
  for (let start = css.indexOf('/*'); start !== -1; start = css.indexOf('/*', from)) {
    const end = css.indexOf('*/', start + 2);
    rest += css.slice(from, start);
    if (end === -1) return rest;
    from = end + 2;
  }
  return rest + css.slice(from);
}
