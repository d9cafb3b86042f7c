import type { Queryable } from '../store/index.js';
import type { Recipient, RecipientRef } from './recipient.js';

/** One person of a tenant who is not deleted, or null. */
export async function findRecipient(
  database: Queryable,
  tenant: string,
  ref: RecipientRef,
): Promise<Recipient | null> {
  const [condition, value] =
    'recipientId' in ref
      ? ['id = $2::uuid', ref.recipientId]
      : 'externalId' in ref
        ? ['external_id = $2', ref.externalId]
        : ['lower(email) = lower($2)', ref.email];
  const { rows } = await database.query<Recipient>(
    `select ${SHOWN} from postrider.recipients where tenant = $1 and deleted_at is null and ${condition}
     order by external_id is not null, id limit 1`,
    [tenant, value],
  );
  return rows[0] ?? null;
}

/**
 * A page in the order people came, after the id of the last one seen. It ends early where their attributes are large, so that
 * it is a few megabytes whatever they hold.
 */
export async function listRecipients(
  database: Queryable,
  tenant: string,
  { after, limit, status }: { after: string | null; limit: number; status: string | null },
): Promise<{ recipients: Recipient[]; more: boolean }> {
  const { rows } = await database.query<Recipient & { found: number }>(
    `select ${SHOWN}, found from (
       select *, count(*) over ()::int as found, sum(octet_length(attributes::text)) over (order by id) as bytes
       from (
         select * from postrider.recipients
         where tenant = $1 and deleted_at is null and ($2::uuid is null or id > $2) and ($4::text is null or status = $4)
         order by id limit $3
       ) page
     ) counted
     where bytes - octet_length(attributes::text) < ${MOST_PAGE_BYTES} order by id`,
    [tenant, after, limit + 1, status],
  );
  const more = (rows[0]?.found ?? 0) > Math.min(rows.length, limit);
  return { recipients: rows.slice(0, limit).map(({ found: _, ...recipient }) => recipient), more };
}

const MOST_PAGE_BYTES = 4 * 1024 ** 2;

/** Keeps the row, so that what was sent still has its person; nothing finds it any more. */
export async function softDeleteRecipient(
  database: Queryable,
  tenant: string,
  recipientId: string,
): Promise<boolean> {
  const { rows } = await database.query(
    `update postrider.recipients set deleted_at = now(), updated_at = now()
     where tenant = $1 and id = $2 and deleted_at is null returning id`,
    [tenant, recipientId],
  );
  return rows.length > 0;
}

const instant = (column: string, name: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "${name}"`;

/** A streak ends with the day after the last check-in, whether or not anyone writes that down. */
const SHOWN = `id as "recipientId", tenant as "companyId", external_id as "externalId", email, name, language,
  time_zone as "timeZone", status, account_type as "accountType", preferences, attributes,
  ${instant('last_check_in_at', 'lastCheckInAt')}, ${instant('last_active_at', 'lastActiveAt')},
  case when last_check_in_on >= (now() at time zone coalesce(time_zone, 'UTC'))::date - 1
    then streak_days else 0 end as "streakDays",
  reminder_frequency as "reminderFrequency", ${instant('last_reminder_sent_at', 'lastReminderSentAt')},
  ${instant('created_at', 'createdAt')}, ${instant('updated_at', 'updatedAt')}`;
