import { invalidPayload } from '../../kernel/index.js';

/**
 * A text with `{{KEY}}`, `{{{KEY}}}` and `{{KEY|otherwise}}` in it: read once, filled for each email by plain
 * substitution. The braces say whether a value is text or HTML. A value is not looked at again. Filling ends where the result is longer than any body may be, so however often a
 * text repeats a value, it holds no more than that.
 */
export type Placeholders = ReadonlyArray<string | Placeholder>;

export interface Placeholder {
  key: string;
  otherwise: string | undefined;
  /** In three braces: in HTML the value stands as it is. */
  raw: boolean;
}

export function readPlaceholders(text: string): Placeholders {
  const parts: Array<string | Placeholder> = [];
  // The same placeholder is one object, however often a text repeats it.
  const known = new Map<string, Placeholder>();
  let at = 0;
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', open)) {
    PLACEHOLDER.lastIndex = open;
    if (!PLACEHOLDER.test(text)) {
      open += 1;
      continue;
    }
    if (open > at) parts.push(text.slice(at, open));
    at = PLACEHOLDER.lastIndex;
    const written = text.slice(open, at);
    const placeholder = known.get(written) ?? parsed(written);
    known.set(written, placeholder);
    parts.push(placeholder);
    open = at;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

function parsed(written: string): Placeholder {
  PLACEHOLDER.lastIndex = 0;
  const [, rawKey, rawOtherwise, key, otherwise] = PLACEHOLDER.exec(written)!;
  return rawKey === undefined
    ? { key: key!, otherwise, raw: false }
    : { key: rawKey, otherwise: rawOtherwise, raw: true };
}

/** Refuses with the field what becomes longer than 512 K characters; exact bytes are counted where emails are judged. */
export function fillPlaceholders(
  parts: Placeholders,
  field: string,
  valueFor: (placeholder: Placeholder) => string,
): string {
  let text = '';
  for (const part of parts) {
    text += typeof part === 'string' ? part : valueFor(part);
    if (text.length > MAX_CHARACTERS)
      throw invalidPayload(field, 'is larger than 512 KB with its values filled in', 'INVALID_TEMPLATE');
  }
  return text;
}

const PLACEHOLDER =
  /\{\{\{\s*([A-Za-z][A-Za-z0-9_.]{0,49})\s*(?:\|([^{}]{0,2000}))?\}\}\}|\{\{\s*([A-Za-z][A-Za-z0-9_.]{0,49})\s*(?:\|([^{}]{0,2000}))?\}\}/y;
const MAX_CHARACTERS = 512 * 1024;
