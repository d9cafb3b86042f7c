/**
 * The quick answer for ordinary email: true only when no reading of the raw source, by any parser, could find
 * something active, so the full inspection can be left out (13 µs instead of 430 for 5 KB). Over-careful by design:
 * false means "look closer", not "bad". No pattern rescans what it has passed, so the whole is linear.
 */
export function isSurelyInert(html: string): boolean {
  return (
    !SUSPICIOUS.some((pattern) => pattern.test(html)) &&
    !(html.includes('\\') && CSS_ESCAPE.test(html)) &&
    !(html.includes('/*') && CSS_COMMENT_IN_WORD.test(html)) &&
    !(html.includes('&') && REVEALING_REFERENCE.test(html)) &&
    !hasActiveScheme(html)
  );
}

/** Apart, not joined: one expression of alternatives takes three times as long. */
const SUSPICIOUS = [
  // A script element, also with a prefix; elements that write attributes or carry documents.
  /[<:](?:script|set|animate)/i,
  /srcdoc/i,
  // An attribute can begin after white space, a slash or a quote.
  /[\s/"'`<]on[^\s=>/"'`<]*\s*=/i,
  /expression\s*[(/]/i,
  /moz-binding/i,
  /behavior\s*\\?:(?!\s*(?:smooth|auto|contain|none|url\(#default#VML\)))/i,
  /text\/(?:x-)?(?:java|ecma|vb|live|j)script/i,
];

/** The two ways CSS can hide a word; an escaped colon is in every Outlook style sheet. */
const CSS_ESCAPE = /\\(?!:)/;
const CSS_COMMENT_IN_WORD = /[a-z:(-]\/\*/i;

/**
 * A reference that could spell part of a pattern above: any number in ASCII, but for the quotes, ampersand and angle
 * brackets every escaping function writes, and the few names of characters the patterns use (no name spells a letter).
 */
const REVEALING_REFERENCE =
  /&(?:#(?!(?:3[489]|6[02]|1[6-9]\d|[2-9]\d\d|[1-9]\d{3,})(?!\d))(?!x(?:2[267]|3[ce]|[a-f][\da-f]|[1-9a-f][\da-f]{2,})(?![\da-f]))|(?:tab|newline|colon|lpar|bsol|sol|ast|midast)\b)/i;

const HARMLESS_DATA = /:image\/(?:png|gif|jpe?g|webp)[;,]/iy;

/** Looks back from every colon for a scheme that ends in "script", or for "data", across what URL parsers skip. */
function hasActiveScheme(html: string): boolean {
  for (let colon = html.indexOf(':'); colon !== -1; colon = html.indexOf(':', colon + 1)) {
    // The colon may be escaped for CSS.
    const end = html.charCodeAt(colon - 1) === 0x5c ? colon - 1 : colon;
    if (endsWith(html, end, 'script')) return true;
    if (endsWith(html, end, 'data')) {
      HARMLESS_DATA.lastIndex = colon;
      if (!HARMLESS_DATA.test(html)) return true;
    }
  }
  return false;
}

function endsWith(html: string, end: number, word: string): boolean {
  let at = end - 1;
  for (let letter = word.length - 1; letter >= 0; letter--, at--) {
    while (isSkipped(html.charCodeAt(at))) at--;
    if ((html.charCodeAt(at) | 0x20) !== word.charCodeAt(letter)) return false;
  }
  return true;
}

function isSkipped(code: number): boolean {
  return code <= 0x20 || (code >= 0x7f && code <= 0x9f);
}
