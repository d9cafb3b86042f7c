import { createRequire } from 'node:module';
import type * as Parse5 from 'parse5';

/**
 * Text with HTML's character references (`&amp;`, `&#8217;`) replaced by what they stand for. A reference to a control
 * character is dropped, because the result goes into plain text; an unknown one stays as written. Knows the names that
 * `learnReferences` has seen.
 */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (whole, number: string | undefined, name: string | undefined) =>
    number === undefined ? (known.get(name!) ?? whole) : decodeNumber(number),
  );
}

/** Looks up the names a document uses, all in one go: to ask the parser for each alone costs a hundred times as much. */
export function learnReferences(html: string): void {
  if (!html.includes('&')) return;
  const names = new Set<string>();
  for (const [, , name] of html.matchAll(REFERENCE)) {
    if (name !== undefined && !known.has(name)) names.add(name);
    if (names.size === MAX_NAMES) break;
  }
  if (names.size === 0) return;
  const asked = [...names];
  const answers = parse(asked.map((name) => `&${name};`).join(SEPARATOR)).split(SEPARATOR);
  for (const [at, name] of asked.entries()) {
    const answer = answers[at]!;
    // Of an unknown name the beginning may be a known one, and the rest stays behind it.
    if (!answer.endsWith(';') || name === 'semi') known.set(name, answer);
  }
}

const REFERENCE = /&(?:#(\d{1,7}|x[\da-f]{1,6})|([a-z][a-z\d]{1,31}));/gi;

/** More than the standard has. */
const MAX_NAMES = 3000;

/** Holds only names the standard knows, so it cannot outgrow the standard's table. */
const known = new Map<string, string>();

/** Stands for itself in HTML, and no name stands for it. */
const SEPARATOR = '\uE000';

function decodeNumber(number: string): string {
  const code = /^x/i.test(number) ? Number.parseInt(number.slice(1), 16) : Number(number);
  if (code === 9 || code === 10 || code === 13) return ' ';
  if ((code > 0 && code < 0x20) || code === 0x7f) return '';
  if (code >= 0x80 && code <= 0x9f) return WINDOWS_1252[code - 0x80]!;
  const isNone = code === 0 || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff;
  return isNone ? '\ufffd' : String.fromCodePoint(code);
}

/** What the standard reads numbers of control characters as, since that is what was meant. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f' + '\u0090‘’“”•–—˜™š›œ\u009džŸ';

const require = createRequire(import.meta.url);
let parse5: typeof Parse5 | undefined;

/** Most processes never meet such a reference: the parser is loaded with the first. */
function parse(references: string): string {
  parse5 ??= require('parse5') as typeof Parse5;
  const [node] = parse5.parseFragment(references).childNodes;
  return node !== undefined && 'value' in node ? node.value : '';
}
