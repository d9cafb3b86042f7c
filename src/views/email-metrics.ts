import type { Queryable } from '../store/index.js';

/**
 * What became of a tenant's emails accepted in a stretch of time, counted: in all, or by hour, day, week or month of a
 * time zone, and by sender's domain, broadcast or email. Read from the ledger itself, by the tenant's own index.
 */
export interface EmailMetricsQuery {
  tenant: string;
  from: Date;
  to: Date;
  zone: string;
  /** null: one count for all of it. */
  bucket: 'hour' | 'day' | 'week' | 'month' | null;
  /** Only these emails. */
  ids: readonly string[] | null;
  /** Only from these domains, only of these broadcasts. */
  domains: readonly string[] | null;
  broadcasts: readonly string[] | null;
  /** What else they are counted apart by. */
  apart: readonly ('domain' | 'broadcast' | 'email')[];
  /** The domain of emails that name no sender. */
  usualDomain: string;
}

export interface MetricCount {
  /** Where the bucket begins, as the clock on the wall shows it there; null without buckets. */
  period: string | null;
  /** Null where they are not counted apart by it, or have none. */
  domain: string | null;
  broadcast: string | null;
  email: string | null;
  /** An end such as `sent`, or what was told later, such as DELIVERED; of bounces with their kind. */
  what: string;
  times: number;
  emails: number;
}

export async function countEmailMetrics(
  database: Queryable,
  query: EmailMetricsQuery,
): Promise<MetricCount[]> {
  const { rows } = await database.query<MetricCount>(COUNT, [
    query.tenant,
    query.from.toISOString(),
    query.to.toISOString(),
    query.zone,
    query.bucket,
    query.ids,
    query.domains,
    query.broadcasts,
    query.apart,
    query.usualDomain,
  ]);
  return rows;
}

const COUNT = {
  name: 'views_email_metrics',
  text: `
    with mine as materialized (
      select e.id, case when $5::text is not null
        then to_char(date_trunc($5, e.created_at at time zone $4), 'YYYY-MM-DD"T"HH24:MI:SS') end as period,
        case when 'domain' = any ($9::text[]) then d.domain end as domain,
        case when 'broadcast' = any ($9::text[]) then e.metadata ->> 'broadcastId' end as broadcast,
        case when 'email' = any ($9::text[]) then e.id::text end as email
      from postrider.emails e
      cross join lateral (
        select coalesce(lower(substring(e.message -> 'from' ->> 'address' from '[^@]*$')), $10::text) as domain
      ) d
      where e.tenant = $1 and e.id >= postrider.id_floor($2::timestamptz) and e.id < postrider.id_floor($3::timestamptz)
        and isfinite(e.created_at)
        and ($6::uuid[] is null or e.id = any ($6::uuid[]))
        and ($7::text[] is null or d.domain = any ($7::text[]))
        and ($8::text[] is null or (e.type = 'broadcast' and e.metadata ->> 'broadcastId' = any ($8::text[])))
        and ('broadcast' <> all ($9::text[]) or (e.type = 'broadcast' and e.metadata ->> 'broadcastId' is not null))
    ), happened as (
      select m.*, t.status::text as what from mine m
      join postrider.email_attempts t on t.email_id = m.id and t.final
      union all
      select m.*, f.type::text || case when f.type = 'BOUNCED'
        then ' ' || lower(coalesce(f.detail -> 'bounce' ->> 'type', 'undetermined')) else '' end
      from mine m join postrider.email_facts f on f.email_id = m.id
    )
    select period, domain, broadcast, email, what, count(*)::int as times, count(distinct id)::int as emails
    from happened group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`,
};
