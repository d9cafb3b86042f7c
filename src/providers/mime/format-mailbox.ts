import { domainInAscii, type Mailbox, PostriderError } from '../../kernel/index.js';
import { encodeWords } from './encode-words.js';

/**
 * Mailboxes as an address list, one per folded line. Names are quoted or encoded, domains written in
 * ASCII where the local part is; a local part beyond ASCII stays as it is, for SMTPUTF8 servers.
 */
export function formatMailboxes(mailboxes: Mailbox[], field: string): string {
  return mailboxes.map((mailbox) => formatMailbox(mailbox, field)).join(',\r\n ');
}

function formatMailbox({ address, name }: Mailbox, field: string): string {
  const shown = headerAddress(address, field);
  if (name === undefined || name === '') return shown;
  if (CONTROL.test(name)) {
    throw new PostriderError('INVALID_HEADER', 'A name holds a control character.', { field });
  }
  const written = phrase(name);
  const lastLine = written.length - (written.lastIndexOf('\n') + 1);
  // Twelve columns are left for the header's name.
  return `${written}${lastLine + shown.length > 62 ? '\r\n' : ''} <${shown}>`;
}

export function headerAddress(address: string, field: string): string {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  const spaced = /\s/.test(domain) || (/\s/.test(local) && !/^".*"$/.test(local));
  if (at < 1 || domain === '' || BREAKS_OUT.test(address) || spaced) {
    throw new PostriderError('INVALID_EMAIL', 'An address is of the form name@domain.', { field });
  }
  if (ASCII.test(domain) || !ASCII.test(local)) return address;
  return `${local}@${domainInAscii(domain) ?? domain}`;
}

const CONTROL = /[\x00-\x1f\x7f]/;
const BREAKS_OUT = /[\x00-\x1f\x7f<>]/;
const ASCII = /^[\x00-\x7f]*$/;

function phrase(name: string): string {
  // Readers decode encoded-words inside quotes too, and trim what stands at the ends.
  if (!ASCII.test(name) || name.length > 60 || /=\?|^ | $| {2}/.test(name)) return encodeWords(name);
  return `"${name.replace(/["\\]/g, '\\$&')}"`;
}
