import { domainInAscii, type Mailbox } from '../../kernel/index.js';
import type { OutgoingEmail } from '../provider.js';

/**
 * The addresses as they go into MAIL and RCPT: domains in ASCII, local parts as they are. Refuses
 * (as `invalid`) an address that could break out of its command.
 */
export function smtpEnvelope(email: OutgoingEmail): SmtpEnvelope | { invalid: string } {
  const from = toPath(email.from.address);
  if (from === undefined) return { invalid: email.from.address };
  const recipients: EnvelopeRecipient[] = [];
  let utf8 = needsUtf8(email.from.address);
  for (const address of email.recipients) {
    const path = toPath(address);
    if (path === undefined) return { invalid: address };
    recipients.push({ address, path });
    utf8 ||= needsUtf8(address);
  }
  utf8 ||= email.to.some(shownInUtf8) || email.cc.some(shownInUtf8) || email.replyTo.some(shownInUtf8);
  return { from, recipients, utf8 };
}

export interface SmtpEnvelope {
  from: string;
  recipients: EnvelopeRecipient[];
  /** A local part, here or in a header, cannot be written in ASCII: the server must know SMTPUTF8. */
  utf8: boolean;
}

export interface EnvelopeRecipient {
  /** As the caller wrote it. */
  address: string;
  path: string;
}

function toPath(address: string): string | undefined {
  if (PLAIN.test(address)) return address;
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  if (at < 1 || BREAKS_OUT.test(address)) return undefined;
  if (/\s/.test(address) && !/^".*"$/.test(local)) return undefined;
  if (ASCII.test(domain)) return /\s/.test(domain) ? undefined : address;
  const ascii = domainInAscii(domain);
  return ascii === null ? undefined : `${local}@${ascii}`;
}

function needsUtf8(address: string): boolean {
  return !ASCII.test(address) && !ASCII.test(address.slice(0, address.lastIndexOf('@')));
}

function shownInUtf8({ address }: Mailbox): boolean {
  return needsUtf8(address);
}

/** What most are: nothing to look at closer. */
const PLAIN = /^[\w.+-]+@[\w.-]+$/;
const BREAKS_OUT = /[\x00-\x1f\x7f<>]/;
const ASCII = /^[\x00-\x7f]*$/;
