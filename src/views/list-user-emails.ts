import type { Queryable } from '../store/index.js';
import { shownText, shownTime } from './shown-columns.js';

/** What one user of an application was sent, the latest first, with no more than the user should see. */
export interface UserEmailPage {
  emails: UserEmail[];
  total: number;
  page: number;
  pages: number;
}

export interface UserEmail {
  subject: string;
  type: string | null;
  sentAt: string;
  status: 'sent';
}

export async function listUserEmails(
  database: Queryable,
  user: { tenant: string; userId: string },
  { page, limit }: { page: number; limit: number },
): Promise<UserEmailPage> {
  const { rows } = await database.query<UserRow>(LIST, [
    user.userId,
    user.tenant,
    limit,
    Math.min((page - 1) * limit, MAX_OFFSET),
  ]);
  const total = rows[0]?.total ?? 0;
  const emails = rows.flatMap(({ subject, type, sent_at }) =>
    sent_at === null ? [] : [{ subject, type, sentAt: sent_at, status: 'sent' as const }],
  );
  return { emails, total, page, pages: Math.ceil(total / limit) };
}

const MAX_OFFSET = 2_147_483_647;

interface UserRow {
  subject: string;
  type: string | null;
  sent_at: string | null;
  total: number;
}

// The total is there also where the page is empty.
const LIST = {
  name: 'views_user_emails',
  text: `
    with mine as materialized (
      select e.id, a.settled_at as sent_at from postrider.emails e
      join postrider.email_attempts a on a.email_id = e.id and a.final and a.status = 'sent'
      where e.user_id = $1 and e.tenant = $2
    ), shown as (
      select m.id, m.sent_at from mine m order by m.sent_at desc, m.id desc limit $3::int offset $4::int
    )
    select ${shownText('e.subject')} as subject, ${shownText('e.type')} as type,
      ${shownTime('s.sent_at')} as sent_at, t.total
    from (select count(*)::int as total from mine) t
    left join shown s on true
    left join lateral (select x.subject, x.type from postrider.emails x where x.id = s.id) e on true
    order by s.sent_at desc, s.id desc`,
};
