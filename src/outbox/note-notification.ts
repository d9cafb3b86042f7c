import { createHash } from 'node:crypto';
import type { Queryable } from '../store/index.js';
import type { EventType } from './transition-table.js';

/** The email a report is about, with everyone it was written to. */
export interface ReportedEmail {
  emailId: string;
  tenant: string;
  recipients: string[];
}

/** By its own id or by the one a provider gave it; with a tenant only one of its own. */
export async function findReported(
  tx: Queryable,
  about: { emailId: string } | { providerMessageId: string; provider: string },
  tenant: string | null,
): Promise<ReportedEmail | null> {
  const { rows } = await tx.query<Omit<ReportedEmail, 'recipients'> & { recipients: string[] | string }>(
    FIND,
    [
      'emailId' in about ? about.emailId : null,
      'emailId' in about ? null : about.providerMessageId,
      'emailId' in about ? null : about.provider,
      tenant,
    ],
  );
  const found = rows[0];
  if (!found) return null;
  const { recipients } = found;
  return { ...found, recipients: typeof recipients === 'string' ? JSON.parse(recipients) : recipients };
}

/**
 * Puts a report on the email's timeline, once per notification: the row's id is made of the notification's. False when
 * it is there already. It stands where it happened, but not before the attempt it is about or after now, since clocks
 * differ.
 */
export async function noteNotification(
  tx: Queryable,
  fact: { emailId: string; type: EventType; at: Date; detail: object; key: readonly string[] },
): Promise<boolean> {
  const { rows } = await tx.query(NOTE, [
    fact.emailId,
    idOf(fact.key),
    fact.type,
    JSON.stringify(fact.detail),
    fact.at.toISOString(),
  ]);
  return rows.length > 0;
}

function idOf(key: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(key)).digest();
  // Version 8: made of something else, by our own rule.
  digest[6] = 0x80 | (digest[6]! & 0x0f);
  digest[8] = 0x80 | (digest[8]! & 0x3f);
  const hex = digest.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

const FIND = `
  select e.id as "emailId", e.tenant,
    jsonb_path_query_array(e.message, '$.to[*].address') || jsonb_path_query_array(e.message, '$.cc[*].address')
      || jsonb_path_query_array(e.message, '$.bcc[*].address') as recipients
  from postrider.emails e
  where e.id = coalesce($1::uuid, (select a.email_id from postrider.email_attempts a
      where a.provider_message_id = $2 and a.provider = $3 and a.provider <> 'smtp' limit 1))
    and ($4::text is null or e.tenant = $4)`;

const NOTE = `
  insert into postrider.email_facts (email_id, fact_id, type, detail, created_at)
  select e.id, $2::uuid, $3::postrider.event_type, $4::text::jsonb, least(clock_timestamp(), greatest($5::timestamptz,
    e.created_at, (select max(a.settled_at) from postrider.email_attempts a where a.email_id = e.id)))
  from postrider.emails e where e.id = $1
  on conflict (email_id, fact_id) do nothing returning fact_id`;
