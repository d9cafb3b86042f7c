import { domainToASCII } from 'node:url';
import type { OutgoingEmail } from '../provider.js';

/**
 * The addresses as they go into MAIL and RCPT: domains in ASCII, local parts as they are. Refuses
 * (as `invalid`) an address that could break out of its command.
 */
export function smtpEnvelope(email: OutgoingEmail): SmtpEnvelope | { invalid: string } {
  const recipients: EnvelopeRecipient[] = [];
  for (const address of [email.from.address, ...email.recipients]) {
    const path = toPath(address);
    if (path === undefined) return { invalid: address };
    recipients.push({ address, path });
  }
  const from = recipients.shift()!.path;
  const shownAddresses = [email.from, ...email.replyTo, ...email.to, ...email.cc].map(
    ({ address }) => address,
  );
  const utf8 = [...shownAddresses, ...email.recipients].some(needsUtf8);
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
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  if (at < 1 || BREAKS_OUT.test(address)) return undefined;
  if (/\s/.test(address) && !/^".*"$/.test(local)) return undefined;
  if (ASCII.test(domain)) return /\s/.test(domain) ? undefined : address;
  const ascii = domainToASCII(domain);
  return ascii === '' ? undefined : `${local}@${ascii}`;
}

function needsUtf8(address: string): boolean {
  return !ASCII.test(address.slice(0, address.lastIndexOf('@')));
}

const BREAKS_OUT = /[\x00-\x1f\x7f<>]/;
const ASCII = /^[\x00-\x7f]*$/;
