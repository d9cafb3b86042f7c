import { type OpenedEmail, recipientsOf } from '../outbox/index.js';

/** An address that must not be written to, and why. */
export interface Suppressed {
  address: string;
  reason: string;
}

/** Takes the suppressed out of those still to be reached. */
export function leaveOutSuppressed(
  email: OpenedEmail,
  suppressed: readonly Suppressed[],
): 'nobody-left' | 'some-left' {
  const out = new Set(suppressed.map(({ address }) => address));
  email.remaining = addressesOf(email).filter((address) => !out.has(address));
  return email.remaining.length === 0 ? 'nobody-left' : 'some-left';
}

/** Those still to be reached. */
export function addressesOf({ remaining, message }: OpenedEmail): string[] {
  if (remaining !== null) return remaining;
  return Array.isArray(message.to) ? recipientsOf(message).map((mailbox) => mailbox.address) : [];
}

export function suppressionDetail(suppressed: readonly Suppressed[]): object {
  return { reason: suppressed[0]?.reason, recipients: suppressed, at: 'send' };
}
