import type { Mailbox } from '../kernel/index.js';
import type { OutgoingEmail } from '../providers/index.js';

/**
 * On a staging system every email goes to one address, whoever it was meant for. Nobody else is in
 * the envelope or in a header a server acts on; those it was meant for are told in one that none does.
 */
export function redirectEmail(
  email: OutgoingEmail,
  { address, meant }: { address: string; meant: readonly Mailbox[] },
): OutgoingEmail {
  return {
    ...email,
    to: [{ address }],
    cc: [],
    bcc: [],
    recipients: [address],
    headers: { ...email.headers, [ORIGINAL_TO]: meant.map((mailbox) => mailbox.address).join(', ') },
  };
}

export const ORIGINAL_TO = 'X-Postrider-Original-To';
