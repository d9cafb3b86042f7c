import type { Queryable } from '../store/index.js';
import { type EmailFilter, sourceOf } from './email-filter.js';
import { type EmailLog, type LogRow, logColumns, presentLog } from './email-log.js';
import { shownText } from './shown-columns.js';

/**
 * Emails that ended in `failed` or `unknown` and that nobody has answered yet, the newest first or counted by what
 * went wrong. Whether the content is still there, and whether the email may have been delivered, is said with each.
 */
export interface DeadLetter extends EmailLog {
  /** Without it the email cannot be tried again. */
  contentKept: boolean;
  /** An attempt of it ended unknown: another one may be a duplicate. */
  mayHaveBeenDelivered: boolean;
}

export interface DeadLetterFilter
  extends Pick<EmailFilter, 'tenant' | 'type' | 'recipients' | 'since' | 'until'> {
  status?: 'failed' | 'unknown';
  errorCode?: string;
}

export interface DeadLetterGroup {
  errorCode: string | null;
  status: string;
  count: number;
  newestId: string;
}

export async function listDeadLetters(
  database: Queryable,
  filter: DeadLetterFilter,
  page: { limit: number; cursor?: string },
): Promise<{ deadLetters: DeadLetter[]; nextCursor: string | null }> {
  const { from, where, values } = deadSource(filter);
  if (page.cursor !== undefined) where.push(`a.email_id < $${values.push(page.cursor)}::uuid`);
  const { rows } = await database.query<LogRow & Extra>(
    `select ${logColumns('v')}, ${EXTRA} from (
       select a.email_id as id from ${from} where ${where.join(' and ')}
       order by a.email_id desc limit $${values.push(page.limit + 1)}::int
     ) p
     join lateral (select * from postrider.email_logs l where l.id = p.id) v on true
     order by v.id desc`,
    values,
  );
  const deadLetters = rows.slice(0, page.limit).map(presentDead);
  return { deadLetters, nextCursor: rows.length > page.limit ? (deadLetters.at(-1)?.id ?? null) : null };
}

/** One of them, or null when the email is not among them. */
export async function findDeadLetter(
  database: Queryable,
  id: string,
  options: { tenant?: string } = {},
): Promise<DeadLetter | null> {
  const { from, where, values } = deadSource({ tenant: options.tenant });
  const { rows } = await database.query<LogRow & Extra>(
    `select ${logColumns('v')}, ${EXTRA} from ${from} join postrider.email_logs v on v.id = a.email_id
     where a.email_id = $${values.push(id)}::uuid and ${where.join(' and ')}`,
    values,
  );
  return rows[0] ? presentDead(rows[0]) : null;
}

export async function groupDeadLetters(
  database: Queryable,
  filter: DeadLetterFilter,
): Promise<DeadLetterGroup[]> {
  const { from, where, values } = deadSource(filter);
  const { rows } = await database.query<DeadLetterGroup>(
    `select ${shownText('a.error_code', 100)} as "errorCode", a.status::text as status, count(*)::int as count,
       max(a.email_id::text) as "newestId"
     from ${from} where ${where.join(' and ')} group by 1, 2 order by 3 desc, 1, 2`,
    values,
  );
  return rows;
}

interface Extra {
  content_kept: boolean;
  may_have_been_delivered: boolean;
}

const EXTRA = `
  exists (select 1 from postrider.email_bodies b where b.email_id = v.id) as content_kept,
  exists (select 1 from postrider.email_attempts t
    where t.email_id = v.id and 'OUTCOME_UNKNOWN' = any (t.events)) as may_have_been_delivered`;

function deadSource({ errorCode, status, ...filter }: DeadLetterFilter) {
  const source = sourceOf({ ...filter, status: status ?? 'dead' });
  source.where.push(NOT_DISCARDED);
  if (errorCode !== undefined) source.where.push(`a.error_code = $${source.values.push(errorCode)}`);
  return source;
}

const NOT_DISCARDED = `not exists (select 1 from postrider.email_facts d where d.email_id = a.email_id
  and d.type = 'DISCARDED' and d.detail -> 'afterAttempt' = to_jsonb(a.attempt))`;

function presentDead({ content_kept, may_have_been_delivered, ...row }: LogRow & Extra): DeadLetter {
  return { ...presentLog(row), contentKept: content_kept, mayHaveBeenDelivered: may_have_been_delivered };
}
