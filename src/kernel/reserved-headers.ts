/**
 * The headers nobody may hand in: those Postrider writes itself, and those that speak for the servers a message went
 * through, which a caller could only forge. Intake and the composer refuse by this one list, so that nothing is accepted
 * that cannot be sent; the SMTP door leaves out the servers' ones of a message it takes.
 */
export function isReservedHeader(name: string): boolean {
  return RESERVED.test(name);
}

/** Written by the servers a message came through: who received it, what they checked and sealed. */
export function isServersHeader(name: string): boolean {
  return SERVERS.test(name);
}

const ours = 'from|sender|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-.*';
const servers =
  'received|return-path|delivered-to|dkim-signature|domainkey-signature|arc-.*|authentication-results|received-spf';
/** Of somebody who passed a message on (RFC 5322, 3.6.6), in blocks that only they can write. */
const resent = 'resent-.*';

const RESERVED = new RegExp(`^(?:${ours}|${servers}|${resent})$`, 'i');
const SERVERS = new RegExp(`^(?:${servers})$`, 'i');
