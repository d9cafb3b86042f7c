import { invalidPayload } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';
import { changeRules, type RulesAccess } from './change-rules.js';
import { checkCompany, checkFields } from './check-change.js';
import { LIMIT_KEY_FIELDS, QUOTA_AMOUNT, QUOTA_PAGE_FIELDS } from './limit-inputs.js';

/**
 * Reading and setting how many emails a company may send per day and month (UTC). Without a quota nothing is counted;
 * a new one holds at once in this process and within a second in the others, and counts from then on.
 */
export interface Quotas {
  /** By company and period, `limit` at a time. Defaults to 100. */
  list(options?: QuotaListOptions): Promise<QuotaPage>;
  set(change: QuotaChange): Promise<QuotaEntry>;
  /** Answers whether there was one. */
  remove(which: { companyId: string; period: QuotaPeriod }): Promise<boolean>;
}

export interface QuotaListOptions {
  companyId?: string;
  /** 1 to 1,000. */
  limit?: number;
  /** The `nextCursor` of the page before. */
  cursor?: string;
}

export interface QuotaPage {
  quotas: QuotaEntry[];
  /** Null after the last page. */
  nextCursor: string | null;
}

export type QuotaPeriod = 'day' | 'month';

export interface QuotaChange {
  companyId: string;
  period: QuotaPeriod;
  limit: number;
}

export interface QuotaEntry extends QuotaChange {
  used: number;
  remaining: number;
  resetAt: Date;
}

export function createQuotas(options: RulesAccess): Quotas {
  async function list({ companyId, limit = 100, cursor }: QuotaListOptions): Promise<QuotaPage> {
    checkCompany(companyId);
    QUOTA_PAGE_FIELDS.limit.read(limit, 'limit');
    const [tenant, period] = QUOTA_PAGE_FIELDS.cursor.read(cursor, 'cursor')?.split('/') ?? [null, null];
    const database = (await options.database()).prompt();
    const { rows } = await database.query<UseRow>(USE, [companyId ?? null, tenant, period, limit + 1]);
    const quotas = rows.slice(0, limit).map(toEntry);
    const last = quotas.at(-1);
    return { quotas, nextCursor: rows.length > limit ? `${last!.companyId}/${last!.period}` : null };
  }

  return {
    list: (which = {}) => list(which),
    async set(input) {
      const { companyId, period, limit } = checkQuota(input);
      await changeRules(options, async (tx) => {
        await tx.query(SET, [companyId, period, limit]);
        return true;
      });
      return (await list({ companyId })).quotas.find((entry) => entry.period === period)!;
    },
    async remove(which) {
      const { companyId, period } = checkWhich(checkFields(which, ['companyId', 'period']));
      // Its shares stay, so that removing and setting it again does not forget what was spent.
      return changeRules(options, async (tx) => (await tx.query(REMOVE, [companyId, period])).rowCount > 0);
    },
  };
}

export async function listQuotaRows(database: Queryable): Promise<Array<{ tenant: string }>> {
  const { rows } = await database.query<{ tenant: string }>({
    name: 'policy_quotas',
    text: 'select distinct tenant from postrider.quotas',
  });
  return rows;
}

function checkQuota(input: QuotaChange): QuotaChange {
  const { companyId, period, ...amount } = checkFields(input, ['companyId', 'period', 'limit']);
  const { limit } = QUOTA_AMOUNT.read(amount, '');
  return { ...checkWhich({ companyId, period }), limit };
}

function checkWhich({ companyId, period }: Record<string, unknown>): Omit<QuotaChange, 'limit'> {
  const company = checkCompany(companyId);
  if (company === undefined) throw invalidPayload('companyId', 'is missing');
  return { companyId: company, period: LIMIT_KEY_FIELDS.period.read(period ?? null, 'period')! };
}

interface UseRow {
  tenant: string;
  period: QuotaPeriod;
  most: string;
  used: string;
  reset_at: Date;
}

function toEntry({ tenant, period, most, used, reset_at }: UseRow): QuotaEntry {
  const limit = Number(most);
  return {
    companyId: tenant,
    period,
    limit,
    used: Number(used),
    remaining: Math.max(0, limit - Number(used)),
    resetAt: reset_at,
  };
}

const SET = `
  insert into postrider.quotas (tenant, period, max_emails) values ($1, $2, $3)
  on conflict (tenant, period) do update set max_emails = excluded.max_emails, updated_at = now()`;

const REMOVE = 'delete from postrider.quotas where tenant = $1 and period = $2 returning period';

const USE = {
  name: 'policy_quota_use',
  text: `
    select q.tenant, q.period, q.max_emails::text as most, p.ends as reset_at, (
      select coalesce(sum(s.used), 0)::text from postrider.quota_shares s
      where s.tenant = q.tenant and s.period = q.period and s.period_start = p.starts
    ) as used
    from postrider.quotas q
      cross join lateral (
        select date_trunc(q.period, now() at time zone 'UTC') at time zone 'UTC' as starts,
          (date_trunc(q.period, now() at time zone 'UTC') + ('1 ' || q.period)::interval) at time zone 'UTC' as ends
      ) p
    where ($1::text is null or q.tenant = $1) and ($2::text is null or (q.tenant, q.period) > ($2, $3::text))
    order by q.tenant, q.period limit $4::int`,
};

/**
 * Removes shares that were not used in this period or the one before; take_quotas adds them again. Looks at each share
 * once, in order of key. One that a transaction holds is left alone. Returns how many are gone.
 */
export async function forgetIdleShares(database: Queryable): Promise<number> {
  let after: [string, string, number] = ['', '', -1];
  let total = 0;
  for (;;) {
    const { rows } = await database.query<{
      tenant: string;
      period: string;
      share: number;
      seen: number;
      gone: number;
    }>(FORGET, [...after, FORGET_BATCH]);
    const page = rows[0];
    if (!page) return total;
    total += page.gone;
    if (page.seen < FORGET_BATCH) return total;
    after = [page.tenant, page.period, page.share];
  }
}

const FORGET_BATCH = 1000;

const FORGET = {
  name: 'policy_forget_shares',
  text: `
    with page as materialized (
      select tenant, period, share, period_start from postrider.quota_shares
      where (tenant, period, share) > ($1, $2, $3::smallint) order by tenant, period, share limit $4::int
    ), idle as materialized (
      select s.tenant, s.period, s.share from page p join postrider.quota_shares s using (tenant, period, share)
      where s.period_start < (date_trunc(s.period, now() at time zone 'UTC') - ('1 ' || s.period)::interval)
        at time zone 'UTC'
      for update of s skip locked
    ), gone as (
      delete from postrider.quota_shares s using idle i
      where s.tenant = i.tenant and s.period = i.period and s.share = i.share returning 1
    )
    select tenant, period, share, (select count(*)::int from page) as seen, (select count(*)::int from gone) as gone
    from page order by tenant desc, period desc, share desc limit 1`,
};
