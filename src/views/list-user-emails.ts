import type { Queryable } from '../store/index.js';
import { shownText, shownTime } from './shown-columns.js';

/**
 * What one user of an application was sent, the latest first, with no more than the user should see. Of a user with
 * very many emails the latest ten thousand are looked at.
 */
export interface UserEmailPage {
  emails: UserEmail[];
  /** At most 10,000. */
  total: number;
  /** Whether there are more than `total`. */
  more: boolean;
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
    MOST_COUNTED,
  ]);
  const { total = 0, more = false } = rows[0] ?? {};
  const emails = rows.flatMap(({ subject, type, sent_at }) =>
    sent_at === null ? [] : [{ subject, type, sentAt: sent_at, status: 'sent' as const }],
  );
  return { emails, total, more, page, pages: Math.ceil(total / limit) };
}

const MOST_COUNTED = 10_000;

const MAX_OFFSET = 2_147_483_647;

interface UserRow {
  subject: string;
  type: string | null;
  sent_at: string | null;
  total: number;
  more: boolean;
}

// The total is there also where the page is empty.
const LIST = {
  name: 'views_user_emails',
  text: `
    with latest as materialized (
      select e.id from postrider.emails e where e.user_id = $1 and e.tenant = $2 order by e.id desc limit $5::int + 1
    ), mine as materialized (
      select l.id, a.sent_at from (select id from latest order by id desc limit $5::int) l
      cross join lateral (
        select t.settled_at as sent_at from postrider.email_attempts t
        where t.email_id = l.id and t.final and t.status = 'sent' limit 1
      ) a
    ), shown as (
      select m.id, m.sent_at from mine m order by m.sent_at desc, m.id desc limit $3::int offset $4::int
    )
    select ${shownText('e.subject')} as subject, ${shownText('e.type')} as type,
      ${shownTime('s.sent_at')} as sent_at, t.total, t.more
    from (select count(*)::int as total, (select count(*) from latest) > $5::int as more from mine) t
    left join shown s on true
    left join lateral (select x.subject, x.type from postrider.emails x where x.id = s.id) e on true
    order by s.sent_at desc, s.id desc`,
};
