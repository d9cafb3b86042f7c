import { decoderFor } from './decoder-for.js';

/**
 * A value with parameters, as in Content-Type and Content-Disposition: comments left out, quotes taken off, parameters in
 * pieces or in another character set (RFC 2231) put together. Of a parameter given twice the first counts.
 */
export interface StructuredValue {
  /** In lower case. */
  value: string;
  /** By name in lower case. */
  params: ReadonlyMap<string, string>;
}

export function readStructuredValue(text: string): StructuredValue {
  const [value, ...rest] = piecesOf(withoutComments(text));
  const given = new Map<string, string>();
  for (const piece of rest) {
    const equals = piece.indexOf('=');
    const name = (equals === -1 ? piece : piece.slice(0, equals)).trim().toLowerCase();
    if (name !== '' && !given.has(name))
      given.set(name, equals === -1 ? '' : unquoted(piece.slice(equals + 1)));
  }
  return { value: unquoted(value ?? '').toLowerCase(), params: joined(given) };
}

/**
 * A parenthesis inside a parameter's value belongs to it, as in `filename=Invoice(1).pdf`, unless a space stands before
 * it. One that is never closed is no comment where a parameter follows it.
 */
function withoutComments(text: string): string {
  if (!text.includes('(')) return text;
  let kept = '';
  let depth = 0;
  let opened = 0;
  let quoted = false;
  let inValue = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === '\\') {
      if (depth === 0) kept += text.slice(at, at + 2);
      at += 1;
      continue;
    }
    if (depth === 0 && char === '"') quoted = !quoted;
    if (!quoted) {
      const mayOpen = depth > 0 || !inValue || text[at - 1] === ' ' || text[at - 1] === '\t';
      if (char === '(' && mayOpen) {
        if (depth === 0) opened = at;
        depth += 1;
        continue;
      }
      if (char === ')' && depth > 0) {
        depth -= 1;
        continue;
      }
      if (depth === 0 && char === '=') inValue = true;
      if (depth === 0 && char === ';') inValue = false;
    }
    if (depth === 0) kept += char;
  }
  return depth > 0 && text.indexOf(';', opened) !== -1 ? text : kept;
}

/** At semicolons outside quotes. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (quoted && char === '\\') at += 1;
    else if (char === '"') quoted = !quoted;
    else if (char === ';' && !quoted) {
      pieces.push(text.slice(start, at));
      start = at + 1;
    }
  }
  pieces.push(text.slice(start));
  return pieces;
}

/** What follows a closed quote is no part of the value. */
function unquoted(text: string): string {
  const plain = text.trim();
  if (!plain.startsWith('"')) return plain;
  let value = '';
  for (let at = 1; at < plain.length && plain[at] !== '"'; at += 1) {
    if (plain[at] === '\\' && at + 1 < plain.length) at += 1;
    value += plain[at];
  }
  return value;
}

interface Piece {
  place: number;
  text: string;
  encoded: boolean;
}

/** `name*0*=`, `name*1=` and so on as one `name`; only what is marked with a star at its end is percent-encoded. */
function joined(given: ReadonlyMap<string, string>): Map<string, string> {
  const params = new Map<string, string>();
  const pieces = new Map<string, Piece[]>();
  for (const [key, text] of given) {
    const [whole, name, place] = /^([^*]*)\*(?:(\d{1,3})\*?)?$/.exec(key) ?? [];
    if (whole === undefined) params.set(key, text);
    else {
      const known = pieces.get(name!) ?? [];
      known.push({ place: Number(place ?? 0), text, encoded: key.endsWith('*') });
      pieces.set(name!, known);
    }
  }
  // What is said in full, with its character set, is better than what stands beside it for old readers.
  for (const [name, list] of pieces) params.set(name, decoded(list));
  return params;
}

function decoded(list: Piece[]): string {
  list.sort((a, b) => a.place - b.place);
  const first = list[0]!;
  const [start = '', charset] = (first.encoded && /^([^']*)'[^']*'/.exec(first.text)) || [];
  first.text = first.text.slice(start.length);
  const decoder = decoderFor(charset);
  let value = '';
  let bytes: number[] = [];
  // A character may be cut between two pieces, so that their bytes are put together first.
  for (const { text, encoded } of list) {
    if (encoded) pushBytes(text, bytes);
    else {
      value += decoder.decode(Uint8Array.from(bytes)) + text;
      bytes = [];
    }
  }
  return value + decoder.decode(Uint8Array.from(bytes));
}

function pushBytes(text: string, bytes: number[]): void {
  for (const piece of text.split(/(%[0-9a-f]{2})/i)) {
    if (piece.length === 3 && piece.startsWith('%')) bytes.push(Number.parseInt(piece.slice(1), 16));
    else for (const byte of Buffer.from(piece)) bytes.push(byte);
  }
}
