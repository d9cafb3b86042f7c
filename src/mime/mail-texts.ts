import { tooLarge } from './mail-limits.js';
import { isText, type Mail, type MailPart, textOf } from './read-mail.js';

/**
 * What a message says, as text and as HTML. Parts of one multipart/alternative say the same; those beside each other are
 * put one after the other, and one that is there in the other form only is turned into it.
 */
export interface MailTexts {
  text: string | undefined;
  html: string | undefined;
}

export interface MailTextOptions {
  /** Of all text, and of all HTML. */
  maxBytes: number;
  toText(html: string): string;
}

export async function readTexts(mail: Mail, { maxBytes, toText }: MailTextOptions): Promise<MailTexts> {
  const entries = new Map<MailPart | number, Entry>();
  const left = { plain: maxBytes, html: maxBytes };
  for (const part of mail.parts.filter(isText)) {
    const kind = part.type === 'text/html' ? 'html' : 'plain';
    const text = part.body.length > left[kind] * MOST_BYTES_FOR_ONE ? null : await textOf(part, left[kind]);
    if (text === null) throw tooLarge(`has more than ${maxBytes / 1024} KB of ${NAMES[kind]}`);
    left[kind] -= text.length;
    const key = part.alternative ?? part;
    const entry = entries.get(key) ?? { plain: [], html: [] };
    entry[kind].push(text);
    entries.set(key, entry);
  }
  const all = [...entries.values()];
  const joined = (pieces: string[][]) => pieces.flat().join('\n') || undefined;
  return {
    text: all.some(({ plain }) => plain.length > 0)
      ? joined(all.map(({ plain, html }) => (plain.length > 0 ? plain : html.map(toText))))
      : undefined,
    html: all.some(({ html }) => html.length > 0)
      ? joined(all.map(({ plain, html }) => (html.length > 0 ? html : plain.map(asHtml))))
      : undefined,
  };
}

/** In quoted-printable a byte takes up to three, and some of them a line break of its own. */
const MOST_BYTES_FOR_ONE = 4;

const NAMES = { plain: 'text', html: 'HTML' };

interface Entry {
  plain: string[];
  html: string[];
}

function asHtml(text: string): string {
  const escaped = text.trim().replace(/[&<>"]/g, (character) => ESCAPES[character]!);
  return `<div>${escaped.replaceAll('\n', '<br>\n')}</div>`;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
