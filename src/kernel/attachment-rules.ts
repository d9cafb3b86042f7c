import { hasControlCharacter } from './control-characters.js';

/** What the headers of a MIME part may carry: the rules by which intake refuses files and the composer writes them. */
const TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";

/** With its parameters; `multipart/` is for messages, not for files. */
export const CONTENT_TYPE = new RegExp(
  `^(?=.{3,255}$)(?!multipart/)${TOKEN}/${TOKEN}(?:; ?${TOKEN}=(?:${TOKEN}|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"))*$`,
  'i',
);

export const CONTENT_ID = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~@-]{1,128}$/;

/** As the end of a sentence that begins with the field. */
export function findFilenameProblem(filename: string): string | null {
  if (/[/\\]/.test(filename) || /^\.*$/.test(filename) || hasControlCharacter(filename))
    return 'must be a name without a path';
  return Buffer.byteLength(filename) > MAX_FILENAME_BYTES
    ? `is longer than ${MAX_FILENAME_BYTES} bytes`
    : null;
}

export const MAX_FILENAME_BYTES = 255;
