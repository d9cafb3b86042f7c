import { type UnsubscribeUrl, withUnsubscribe } from './intake/index.js';
import { type Mailbox, storedAddress } from './kernel/index.js';
import type { OpenedEmail } from './outbox/index.js';

/**
 * What intake does for other emails and SQL cannot, before an attempt: addresses get the form they are kept and compared in,
 * and an email of a category people may refuse gets its List-Unsubscribe, signed with the key of this process. Nothing of
 * it is written back: made again for the next attempt, it is the same as long as the key is.
 */
export function createSqlCompletion(unsubscribeUrl: UnsubscribeUrl | null): (email: OpenedEmail) => void {
  return (email) => {
    const { message } = email;
    const { to: shownTo, cc: shownCc } = message.headerRecipients ?? {};
    for (const list of [message.to, message.cc, message.bcc, shownTo, shownCc, message.replyTo])
      list?.forEach(keepStoredForm);
    if (message.from) keepStoredForm(message.from);
    email.to = storedAddress(email.to) ?? email.to;
    const [only, second] = [...message.to, ...(message.cc ?? []), ...(message.bcc ?? [])];
    const { category, essential } = message;
    if (unsubscribeUrl === null || category === undefined || essential || !only || second) return;
    const { id, tenant } = email;
    const link = unsubscribeUrl({ id, tenant, address: only.address, category, lang: null });
    if (hasNames(message.headers)) message.headers = withUnsubscribe(message.headers ?? {}, link);
  };
}

function keepStoredForm(mailbox: Mailbox): void {
  mailbox.address = storedAddress(mailbox.address) ?? mailbox.address;
}

/** What is no object is the validation's to refuse. */
function hasNames(headers: unknown): boolean {
  return (
    headers === undefined || (typeof headers === 'object' && headers !== null && !Array.isArray(headers))
  );
}
