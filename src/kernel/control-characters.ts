/**
 * What no line of an email and no column of the store may hold. A line (address, name, header, subject) refuses
 * every control character and the marks that reverse the reading direction; any text at all refuses NUL, which
 * PostgreSQL cannot store, and lone surrogates, which have no UTF-8 form.
 */
export function hasControlCharacter(text: string): boolean {
  return CONTROL.test(text);
}

/** C0, DEL, C1, the two Unicode line breaks, and the bidirectional overrides and isolates. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

export function isStorableText(text: string): boolean {
  return !text.includes('\0') && isWellFormed(text);
}

/**
 * Without the marks that some editors put before a text to name its encoding. They are no part of what was written, and
 * decoders take them away as they please, so that one store would give back another text than it was given.
 */
export function withoutByteOrderMark(text: string): string {
  let start = 0;
  while (text.charCodeAt(start) === BYTE_ORDER_MARK) start += 1;
  return start === 0 ? text : text.slice(start);
}

const BYTE_ORDER_MARK = 0xfeff;

/** For words that are not ours and must be written down all the same, such as a server's reply. */
export function toStorableText(text: string): string {
  return isStorableText(text) ? text : toWellFormed(text).replaceAll('\0', '\ufffd');
}

/** Node has had these two since version 20; the language level we compile for does not name them yet. */
function isWellFormed(text: string): boolean {
  return (text as unknown as { isWellFormed(): boolean }).isWellFormed();
}

function toWellFormed(text: string): string {
  return (text as unknown as { toWellFormed(): string }).toWellFormed();
}
