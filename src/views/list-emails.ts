import type { Queryable } from '../store/index.js';
import { type EmailFilter, sourceOf } from './email-filter.js';
import { type EmailLog, type LogRow, logColumns, presentLog } from './email-log.js';

/**
 * Emails by filter, the newest first, a page at a time. A cursor is the last id seen: what is accepted meanwhile
 * comes before it and moves nothing. Only the page's own emails are looked at in full.
 */
export interface EmailPage {
  emails: EmailLog[];
  /** For the next page; null on the last. */
  nextCursor: string | null;
}

export interface PageOptions {
  limit: number;
  cursor?: string;
  /** Emails to pass over, for pages with numbers. */
  offset?: number;
}

export async function listEmails(
  database: Queryable,
  filter: EmailFilter,
  page: PageOptions,
): Promise<EmailPage> {
  const { from, id, where, values } = sourceOf(filter);
  if (page.cursor !== undefined) where.push(`${id} < $${values.push(page.cursor)}::uuid`);
  const { rows } = await database.query<LogRow>(
    `select ${logColumns('v')} from (
       select ${id} as id from ${from} ${where.length > 0 ? `where ${where.join(' and ')}` : ''}
       order by ${id} desc limit $${values.push(page.limit + 1)}::int offset $${values.push(page.offset ?? 0)}::int
     ) p
     join lateral (select * from postrider.email_logs l where l.id = p.id) v on true
     order by v.id desc`,
    values,
  );
  const emails = rows.slice(0, page.limit).map(presentLog);
  return { emails, nextCursor: rows.length > page.limit ? (emails.at(-1)?.id ?? null) : null };
}

/** The emails to which a provider gave this id. That of an SMTP message holds the email's own. */
export async function findByMessageId(database: Queryable, messageId: string): Promise<string[]> {
  const [own] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(messageId) ?? [];
  const { rows } = await database.query<{ id: string }>(BY_MESSAGE_ID, [messageId, own ?? null]);
  return rows.map((row) => row.id);
}

const BY_MESSAGE_ID = {
  name: 'views_by_message_id',
  text: `
    select email_id as id from postrider.email_attempts where email_id = $2::uuid and provider_message_id = $1
    union
    select email_id from postrider.email_attempts where provider_message_id = $1 and provider <> 'smtp'`,
};
