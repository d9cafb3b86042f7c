import type { OutgoingEmail } from '../providers/index.js';

/**
 * On a staging system every email goes to one address, whoever it was meant for. Nobody else is in
 * the envelope or in a header a server acts on; those it was meant for are told in one that none does.
 */
export function redirectEmail(email: OutgoingEmail, address: string): OutgoingEmail {
  const meant = [...email.to, ...email.cc, ...email.bcc].map((mailbox) => mailbox.address);
  return {
    ...email,
    to: [{ address }],
    cc: [],
    bcc: [],
    recipients: [address],
    headers: { ...email.headers, [ORIGINAL_TO]: meant.join(', ') },
  };
}

export const ORIGINAL_TO = 'X-Postrider-Original-To';
