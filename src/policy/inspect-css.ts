/**
 * Finds CSS that executes: expression(), bindings, behaviours other than Outlook's VML, and script URLs. Looks at
 * the text as written and again with comments removed and escapes decoded, since either can hide a word from the
 * other. Does not judge CSS that only draws.
 */
export function inspectCss(css: string): string | null {
  if (!WORTH_A_LOOK.test(css)) return null;
  return executes(decodeEscapes(css)) || executes(decodeEscapes(withoutComments(css)))
    ? 'contains CSS that executes'
    : null;
}

const WORTH_A_LOOK = /[(\\@]|binding|behavior/i;
const EXECUTABLE = /expression\s*\(|-moz-binding|(?<![\w-])behavior\s*:\s*url\((?!\s*["']?#default)/i;
const SKIPPED_IN_URLS = /[\x00-\x20\x7f-\x9f]+/g;
const SCRIPT_URL = /(?:url\(|@import)["']*(?:[a-z]*script:|data:(?:text\/html|application\/xhtml))/i;

function executes(css: string): boolean {
  return EXECUTABLE.test(css) || SCRIPT_URL.test(css.replace(SKIPPED_IN_URLS, ''));
}

/** A backslash and up to six hexadecimal digits with one space, or a backslash and the character itself. */
function decodeEscapes(css: string): string {
  if (!css.includes('\\')) return css;
  return css.replace(
    /\\(?:([0-9a-f]{1,6})[ \t\r\n\f]?|\r?\n|([\s\S]))/gi,
    (_, hex?: string, literal?: string) => {
      if (hex === undefined) return literal ?? '';
      const codePoint = Number.parseInt(hex, 16);
      return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : '';
    },
  );
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
