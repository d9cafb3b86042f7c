import type { Queryable } from '../store/index.js';

/**
 * Whom one broadcast reached, by what happened to their email, and which links in it were followed. Found among the
 * tenant's broadcasts accepted since it was made. Of another tenant's there is nothing.
 */
export interface ReachQuery {
  tenant: string;
  broadcastId: string;
  /** `SENT`, or what was told later, such as OPENED. */
  what: string;
  /** Only this one, whatever its case. */
  address: string | null;
  bounceType: string | null;
  limit: number;
  /** Ids of emails: older than the one, or newer than the other. */
  after: string | null;
  before: string | null;
}

export interface ReachedPerson {
  /** That of the email. */
  id: string;
  recipientId: string | null;
  email: string;
  times: number;
  bounceType: string | null;
  /** Each time a link was followed. */
  links: string[];
}

export async function listReached(
  database: Queryable,
  query: ReachQuery,
): Promise<{ people: ReachedPerson[]; more: boolean }> {
  const backwards = query.before !== null;
  const { rows } = await database.query<ReachedRow>(backwards ? REACHED_BEFORE : REACHED, [
    ...[query.tenant, query.broadcastId, query.what, query.address, query.bounceType],
    query.before ?? query.after,
    query.limit + 1,
  ]);
  const people = rows.slice(0, query.limit).map((row) => ({
    ...{ id: row.id, recipientId: row.recipient_id, email: row.to_address, times: row.times },
    ...{ bounceType: row.bounce_type, links: row.links ?? [] },
  }));
  return { people: backwards ? people.reverse() : people, more: rows.length > query.limit };
}

export interface ClickedLink {
  id: string;
  url: string;
  clicks: number;
  people: number;
}

/** The most followed first. */
export async function listClickedLinks(
  database: Queryable,
  { tenant, broadcastId }: { tenant: string; broadcastId: string },
): Promise<ClickedLink[]> {
  const { rows } = await database.query<ClickedLink>(CLICKED, [tenant, broadcastId]);
  return rows;
}

interface ReachedRow {
  id: string;
  recipient_id: string | null;
  to_address: string;
  times: number;
  bounce_type: string | null;
  links: string[] | null;
}

// An email's id is later than that of the broadcast it is of.
const OF_BROADCAST = `e.tenant = $1 and e.type = 'broadcast' and e.id > $2::uuid and e.metadata ->> 'broadcastId' = $2::text`;

const reached = (beyond: string, order: string) => `
  select e.id, e.recipient_id, e.to_address, x.times, x.bounce_type, x.links
  from postrider.emails e
  cross join lateral (
    select count(*)::int as times,
      max(case when lower(h.detail -> 'bounce' ->> 'type') in ('permanent', 'transient')
        then lower(h.detail -> 'bounce' ->> 'type') else 'undetermined' end) as bounce_type,
      array_agg(h.detail -> 'click' ->> 'link') filter (where h.detail -> 'click' ->> 'link' is not null) as links
    from (
      select null::jsonb as detail from postrider.email_attempts a
      where $3 = 'SENT' and a.email_id = e.id and a.final and a.status = 'sent'
      union all
      select f.detail from postrider.email_facts f where f.email_id = e.id and f.type::text = $3
    ) h
  ) x
  where ${OF_BROADCAST} and x.times > 0 and ($4::text is null or lower(e.to_address) = lower($4::text))
    and ($5::text is null or x.bounce_type = $5) and ($6::uuid is null or e.id ${beyond} $6::uuid)
  order by e.id ${order} limit $7::int`;

const REACHED = reached('<', 'desc');
const REACHED_BEFORE = reached('>', 'asc');

const CLICKED = `
  select md5(x.url)::uuid as id, x.url, count(*)::int as clicks, count(distinct x.email_id)::int as people
  from (
    select f.email_id, f.detail -> 'click' ->> 'link' as url
    from postrider.emails e join postrider.email_facts f on f.email_id = e.id and f.type = 'CLICKED'
    where ${OF_BROADCAST}
  ) x
  where x.url is not null group by x.url order by 3 desc, 2 limit 10000`;
