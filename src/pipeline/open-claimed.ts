import { isPostriderError, killPoint, type Logger, messageOf, toStorableText } from '../kernel/index.js';
import type { Claim, Ledger, OpenedEmail, OpenOptions } from '../outbox/index.js';
import type { Suppressed } from './leave-out-suppressed.js';

/**
 * Opens claims with what the attempts must know about them. An email that cannot be opened must not keep its neighbours
 * from being sent: halves are tried again, and the one that fails alone is put off. Throws while the store is away.
 */
export interface FetchTools {
  ledger: Ledger;
  /** Gives an email that came by SQL what intake gives to the others. */
  completeFromSql(email: OpenedEmail): void;
  /** Those of the emails whose recipient is named but not there. */
  findMissingRecipients(emails: readonly OpenedEmail[]): Promise<Set<string>>;
  /** Those of the emails that go to someone who must not be written to, and who that is. */
  findSuppressed(emails: readonly OpenedEmail[]): Promise<Map<string, Suppressed[]>>;
  logger: Logger;
}

export interface OpenedForAttempt {
  email: OpenedEmail;
  recipientMissing: boolean;
  suppressed: readonly Suppressed[];
}

export async function openClaimed(
  claims: readonly Claim[],
  how: OpenOptions,
  tools: FetchTools,
): Promise<OpenedForAttempt[]> {
  try {
    return await open(claims, how, tools);
  } catch (error) {
    if (isPostriderError(error) && error.code === 'STORE_UNAVAILABLE') throw error;
    if (claims.length === 1) {
      await putOff(claims, messageOf(error), tools);
      return [];
    }
    const middle = Math.ceil(claims.length / 2);
    const first = await openClaimed(claims.slice(0, middle), how, tools);
    return [...first, ...(await openClaimed(claims.slice(middle), how, tools))];
  }
}

async function open(
  claims: readonly Claim[],
  how: OpenOptions,
  { ledger, completeFromSql, findMissingRecipients, findSuppressed }: FetchTools,
): Promise<OpenedForAttempt[]> {
  const emails = await ledger.open(claims, how);
  killPoint('worker:opened');
  for (const email of emails) if (email.contentHash === null) completeFromSql(email);
  const [missing, suppressed] = await Promise.all([findMissingRecipients(emails), findSuppressed(emails)]);
  return emails.map((email) => ({
    email,
    recipientMissing: missing.has(email.id),
    suppressed: suppressed.get(email.id) ?? [],
  }));
}

async function putOff(claims: readonly Claim[], err: string, { ledger, logger }: FetchTools): Promise<void> {
  logger.error({ outboxId: claims[0]?.id, err }, 'email could not be opened');
  const why = toStorableText(`it could not be opened: ${err}`);
  await ledger.release(claims, { why, delayMs: PUT_OFF_MS });
}

/** Where the fault is ours it is gone with the next version; meanwhile it costs a few statements a minute. */
const PUT_OFF_MS = 60_000;
