import { TextDecoder } from 'node:util';

/**
 * The decoder of a character set by the name a message gives it. Names that are known by another, and those of code pages,
 * are translated; what is not known at all is read as windows-1252, which any bytes are.
 */
export function decoderFor(charset: string | undefined): TextDecoder {
  const label = (charset || 'utf-8').trim().toLowerCase().slice(0, MAX_LABEL);
  return find(label) ?? find(translated(label)) ?? find('windows-1252')!;
}

const MAX_LABEL = 40;

/** Only those there are, so that names made up by a message do not fill it. */
const decoders = new Map<string, TextDecoder>();

function find(label: string): TextDecoder | undefined {
  const known = decoders.get(label);
  if (known) return known;
  try {
    const decoder = new TextDecoder(label);
    decoders.set(label, decoder);
    return decoder;
  } catch {
    // No such character set; the next name is tried.
    return undefined;
  }
}

function translated(label: string): string {
  const plain = label.replace(/^(?:x-ms-|x-|cs)/, '').replace(/[\s._-]/g, '');
  const [, page] = /^(?:cp|windows|ms|ibm)(\d{3,5})$/.exec(plain) ?? [];
  return (page && CODE_PAGES.get(page)) || OTHER_NAMES.get(plain) || plain;
}

const OTHER_NAMES = new Map([
  ['iso88598i', 'iso-8859-8'],
  ['iso88598e', 'iso-8859-8'],
  ['shiftjis', 'shift_jis'],
  ['windows31j', 'shift_jis'],
  ['mskanji', 'shift_jis'],
  ['eucjp', 'euc-jp'],
  ['iso2022jp', 'iso-2022-jp'],
  ['iso2022jp1', 'iso-2022-jp'],
  ['iso2022jp2', 'iso-2022-jp'],
  ['euckr', 'euc-kr'],
  ['uhc', 'euc-kr'],
  ['tis620', 'windows-874'],
]);

const CODE_PAGES = new Map([
  ['874', 'windows-874'],
  ['932', 'shift_jis'],
  ['936', 'gbk'],
  ['949', 'euc-kr'],
  ['950', 'big5'],
  ['50220', 'iso-2022-jp'],
  ['50221', 'iso-2022-jp'],
  ['50222', 'iso-2022-jp'],
  ['51932', 'euc-jp'],
]);
