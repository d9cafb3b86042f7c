/**
 * Text as RFC 2047 encoded-words, each within 75 characters and cut between code points only; the
 * shorter of Q and B. Safe inside a phrase: Q leaves only letters, digits and `!*+-/` as they are.
 */
export function encodeWords(text: string): string {
  const words: string[] = [];
  const quoted = Buffer.byteLength(text) < text.length * 1.4;
  let current = '';
  let width = 0;
  for (const char of text) {
    const piece = quoted ? quote(char) : char;
    const pieceWidth = quoted ? piece.length : Buffer.byteLength(char);
    if (width + pieceWidth > (quoted ? MAX_QUOTED : MAX_BASE64_BYTES) && current !== '') {
      words.push(wrap(current, quoted));
      current = '';
      width = 0;
    }
    current += piece;
    width += pieceWidth;
  }
  if (current !== '') words.push(wrap(current, quoted));
  // White space between encoded-words is not part of the text.
  return words.join('\r\n ');
}

// 75 less `=?UTF-8?Q?` and `?=`; base64 turns 45 bytes into 60 characters. Header names share the
// first line, so both stay a little below.
const MAX_QUOTED = 54;
const MAX_BASE64_BYTES = 39;

function quote(char: string): string {
  if (/^[A-Za-z0-9!*+/-]$/.test(char)) return char;
  if (char === ' ') return '_';
  let out = '';
  for (const byte of Buffer.from(char, 'utf8')) out += `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return out;
}

function wrap(content: string, quoted: boolean): string {
  return quoted ? `=?UTF-8?Q?${content}?=` : `=?UTF-8?B?${Buffer.from(content, 'utf8').toString('base64')}?=`;
}
