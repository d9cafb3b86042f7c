import type { Queryable } from '../store/index.js';

/** How much of everything a tenant has: emails accepted and sent today and this month (UTC), and what it keeps. */
export interface TenantUsage {
  day: PeriodUsage;
  month: PeriodUsage;
  contacts: number;
  segments: number;
  broadcasts: number;
}

export interface PeriodUsage {
  accepted: number;
  sent: number;
  /** Null where there is no quota. */
  limit: number | null;
  resetsAt: string;
}

export async function readUsage(database: Queryable, tenant: string): Promise<TenantUsage> {
  const { rows: periods } = await database.query<PeriodRow>(PERIODS, [tenant]);
  const { rows: kept } = await database.query<Kept>(KEPT, [tenant]);
  const of = (period: string): PeriodUsage => {
    const row = periods.find((one) => one.period === period)!;
    return {
      accepted: Number(row.accepted),
      sent: Number(row.sent),
      limit: row.most === null ? null : Number(row.most),
      resetsAt: new Date(row.ends).toISOString(),
    };
  };
  const { contacts, segments, broadcasts } = kept[0]!;
  return {
    ...{ day: of('day'), month: of('month') },
    ...{ contacts: Number(contacts), segments: Number(segments), broadcasts: Number(broadcasts) },
  };
}

interface PeriodRow {
  period: string;
  ends: Date;
  most: string | null;
  accepted: string;
  sent: string;
}

type Kept = Record<'contacts' | 'segments' | 'broadcasts', string>;

const PERIODS = {
  name: 'views_usage_periods',
  text: `
    with mine as materialized (
      select e.id, e.created_at, exists (
        select 1 from postrider.email_attempts t where t.email_id = e.id and t.final and t.status = 'sent') as sent
      from postrider.emails e where e.tenant = $1
        and e.id >= postrider.id_floor(date_trunc('month', now() at time zone 'UTC') at time zone 'UTC')
    )
    select p.period, p.ends, q.max_emails::text as most, m.accepted::text, m.sent::text
    from (
      select period, date_trunc(period, now() at time zone 'UTC') at time zone 'UTC' as starts,
        (date_trunc(period, now() at time zone 'UTC') + ('1 ' || period)::interval) at time zone 'UTC' as ends
      from unnest(array['day', 'month']) period
    ) p
    left join postrider.quotas q on q.tenant = $1 and q.period = p.period
    cross join lateral (
      select count(*) as accepted, count(*) filter (where mine.sent) as sent
      from mine where mine.id >= postrider.id_floor(p.starts)
    ) m`,
};

const KEPT = {
  name: 'views_usage_kept',
  text: `
    select (select count(*) from postrider.recipients r where r.tenant = $1 and r.deleted_at is null)::text as contacts,
      (select count(*) from postrider.segments s where s.tenant = $1)::text as segments,
      (select count(*) from postrider.broadcasts b where b.tenant = $1)::text as broadcasts`,
};
