import { createRequire } from 'node:module';
import type * as Parse5 from 'parse5';

/**
 * Text with HTML's character references (`&amp;`, `&#8217;`) replaced by what they stand for. A reference to a control
 * character is dropped, because the result goes into plain text; an unknown one stays as written.
 */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (whole, number: string | undefined, name: string | undefined) =>
    number === undefined ? (decodeName(name!) ?? whole) : decodeNumber(number, whole),
  );
}

const REFERENCE = /&(?:#(\d{1,7}|x[\da-f]{1,6})|([a-z][a-z\d]{1,31}));/gi;

/** Holds only names the standard knows, so it cannot outgrow the standard's table. */
const known = new Map<string, string>();

function decodeName(name: string): string | null {
  const found = known.get(name);
  if (found !== undefined) return found;
  const whole = `&${name};`;
  const decoded = parse(whole);
  if (decoded.endsWith(';') && name !== 'semi') return null;
  known.set(name, decoded);
  return decoded;
}

function decodeNumber(number: string, whole: string): string {
  const code = /^x/i.test(number) ? Number.parseInt(number.slice(1), 16) : Number(number);
  if (code === 9 || code === 10 || code === 13) return ' ';
  if ((code > 0 && code < 0x20) || code === 0x7f) return '';
  // The standard's odd cases (Windows-1252 numbers, surrogates, too large) are left to its parser.
  const isOdd =
    code === 0 || (code >= 0x80 && code <= 0x9f) || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff;
  return isOdd ? parse(whole) : String.fromCodePoint(code);
}

const require = createRequire(import.meta.url);
let parse5: typeof Parse5 | undefined;

/** Most processes never meet such a reference: the parser is loaded with the first. */
function parse(reference: string): string {
  parse5 ??= require('parse5') as typeof Parse5;
  const [node] = parse5.parseFragment(reference).childNodes;
  return node !== undefined && 'value' in node ? node.value : '';
}
