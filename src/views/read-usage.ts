import type { Queryable } from '../store/index.js';
import { readEmailStats } from './email-stats.js';

/**
 * How much of everything a tenant has: its emails of today and this month (UTC), and what it keeps. Emails are read from
 * the rollups and the quotas, so that a month of a million costs no more than one of ten.
 */
export interface TenantUsage {
  day: PeriodUsage;
  month: PeriodUsage;
  contacts: number;
  segments: number;
  broadcasts: number;
}

export interface PeriodUsage {
  /** What the quota has counted; where there is none, emails that were sent or failed. */
  used: number;
  sent: number;
  /** Null where there is no quota. */
  limit: number | null;
  resetsAt: string;
}

export async function readUsage(database: Queryable, tenant: string): Promise<TenantUsage> {
  const { rows: periods } = await database.query<PeriodRow>(PERIODS, [tenant]);
  const { rows: kept } = await database.query<Kept>(KEPT, [tenant]);
  const of = async (period: string): Promise<PeriodUsage> => {
    const { starts, ends, most, counted } = periods.find((one) => one.period === period)!;
    const stats = await readEmailStats(database, { tenant, since: new Date(starts) });
    return {
      used: most === null ? stats.totalSent + stats.totalFailed : Number(counted),
      sent: stats.totalSent,
      limit: most === null ? null : Number(most),
      resetsAt: new Date(ends).toISOString(),
    };
  };
  const { contacts, segments, broadcasts } = kept[0]!;
  return {
    ...{ day: await of('day'), month: await of('month') },
    ...{ contacts: Number(contacts), segments: Number(segments), broadcasts: Number(broadcasts) },
  };
}

interface PeriodRow {
  period: string;
  starts: Date;
  ends: Date;
  most: string | null;
  counted: string;
}

type Kept = Record<'contacts' | 'segments' | 'broadcasts', string>;

const PERIODS = {
  name: 'views_usage_periods',
  text: `
    select p.period, p.starts, p.ends, q.max_emails::text as most, (
      select coalesce(sum(s.used), 0)::text from postrider.quota_shares s
      where s.tenant = $1 and s.period = p.period and s.period_start = p.starts
    ) as counted
    from (
      select period, date_trunc(period, now() at time zone 'UTC') at time zone 'UTC' as starts,
        (date_trunc(period, now() at time zone 'UTC') + ('1 ' || period)::interval) at time zone 'UTC' as ends
      from unnest(array['day', 'month']) period
    ) p
    left join postrider.quotas q on q.tenant = $1 and q.period = p.period`,
};

const KEPT = {
  name: 'views_usage_kept',
  text: `
    select (select count(*) from postrider.recipients r where r.tenant = $1 and r.deleted_at is null)::text as contacts,
      (select count(*) from postrider.segments s where s.tenant = $1)::text as segments,
      (select count(*) from postrider.broadcasts b where b.tenant = $1)::text as broadcasts`,
};
