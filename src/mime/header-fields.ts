/**
 * A block of header fields, unfolded and otherwise as written. Only space and tab fold a line: a line that begins with
 * another kind of white space is a line of its own, as it is for mail servers. With `foldAsSpace` the white space of a
 * fold is one space.
 */
export interface HeaderField {
  /** As written. */
  name: string;
  /** In lower case. */
  key: string;
  value: string;
}

export function readHeaderFields(block: Uint8Array, { foldAsSpace = false } = {}): HeaderField[] {
  if (block.length === 0) return [];
  const fields: string[][] = [];
  for (const line of decoder.decode(block).split('\n')) {
    const text = line.replace(ENDING, '');
    if (text === '') continue;
    const folded = text.startsWith(' ') || text.startsWith('\t');
    if (folded && fields.length > 0) fields.at(-1)!.push(foldAsSpace ? ` ${trimmed(text)}` : text);
    else fields.push([text]);
  }
  return fields.map(fieldOf);
}

export function headerOf(fields: readonly HeaderField[], key: string): string | undefined {
  return fields.find((field) => field.key === key)?.value;
}

/** Keeps a byte order mark: without it a line would become a header that others do not see. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const ENDING = /\r$/;

function fieldOf(lines: readonly string[]): HeaderField {
  const line = lines.join('').replaceAll('\r', ' ');
  const colon = line.indexOf(':');
  const name = trimmed(colon === -1 ? line : line.slice(0, colon));
  return { name, key: name.toLowerCase(), value: colon === -1 ? '' : trimmed(line.slice(colon + 1)) };
}

/** Of space and tab alone: a name that begins with another space is not the name without it. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text, start)) start += 1;
  while (end > start && isBlank(text, end - 1)) end -= 1;
  return text.slice(start, end);
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}
