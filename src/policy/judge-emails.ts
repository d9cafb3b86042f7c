import type { Mailbox } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';
import { findMissingRecipients } from './check-recipients.js';
import { countQuotas } from './count-quotas.js';
import { type Counting, countRateLimits } from './count-rate-limits.js';
import type { Rules } from './rules.js';
import { giveBackSlots } from './take-rate-slots.js';
import type { Refusal, Verdict } from './verdict.js';

/**
 * Every rule about complete emails, asked in the accepting transaction; the first refusal is the verdict. Rules that
 * only look come first and rules that count come last, so that a refusal leaves nothing counted. What is suppressed
 * goes nowhere and is not counted.
 */
export async function judgeEmails(
  tx: Queryable,
  rules: Rules,
  emails: readonly Judged[],
  how: Counting = {},
): Promise<Verdict> {
  const missing = await refuseMissingRecipients(tx, emails);
  if (missing) return missing;
  const counted = await countRateLimits(tx, rules, emails, how);
  if ('accept' in counted) return counted;
  const overQuota = await countQuotas(tx, rules, emails);
  if (overQuota) {
    await giveBackSlots(tx, counted.windows);
    return overQuota;
  }
  return { accept: true, rateLimits: counted.rateLimits };
}

/** What the rules look at. */
export interface Judged {
  tenant: string;
  type: string | null;
  userId: string | null;
  recipientId: string | null;
  recipientExternalId: string | null;
  to: readonly Mailbox[];
  cc: readonly Mailbox[];
  bcc: readonly Mailbox[];
  /** Null where somebody is left to write to. */
  suppressed: object | null;
}

async function refuseMissingRecipients(tx: Queryable, emails: readonly Judged[]): Promise<Refusal | null> {
  const refs = emails.flatMap(({ recipientId, recipientExternalId: externalId, tenant, to }, index) =>
    recipientId || externalId
      ? [{ recipientId, externalId, tenant, email: to[0]?.address ?? '', index }]
      : [],
  );
  if (refs.length === 0) return null;
  const missing = (await findMissingRecipients(tx, refs))[0];
  if (!missing) return null;
  return {
    accept: false,
    code: 'RECIPIENT_NOT_FOUND',
    message: 'The recipient does not exist in this company with this address.',
    index: missing.index,
    field: missing.recipientId ? 'recipient.recipientId' : 'recipient.externalId',
  };
}
