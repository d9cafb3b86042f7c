import { invalidPayload } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';
import { changeRules, type RulesAccess } from './change-rules.js';
import { checkCompany, checkFields } from './check-change.js';
import { LIMIT_KEY_FIELDS, QUOTA_AMOUNT } from './limit-inputs.js';

/**
 * Reading and setting how many emails a company may send per day and month (UTC). Without a quota nothing is counted;
 * a new one holds at once in this process and within a second in the others, and counts from then on.
 */
export interface Quotas {
  list(options?: { companyId?: string }): Promise<QuotaEntry[]>;
  set(change: QuotaChange): Promise<QuotaEntry>;
  /** Answers whether there was one. */
  remove(which: { companyId: string; period: QuotaPeriod }): Promise<boolean>;
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
  async function list(companyId: string | undefined): Promise<QuotaEntry[]> {
    checkCompany(companyId);
    const { rows } = await (await options.database()).prompt().query<UseRow>(USE, [companyId ?? null]);
    return rows.map(toEntry);
  }

  return {
    list: ({ companyId } = {}) => list(companyId),
    async set(input) {
      const { companyId, period, limit } = checkQuota(input);
      await changeRules(options, async (tx) => {
        await tx.query(SET, [companyId, period, limit]);
        await tx.query(SHARES, [companyId, period]);
        return true;
      });
      return (await list(companyId)).find((entry) => entry.period === period)!;
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

const SHARES = `
  insert into postrider.quota_shares (tenant, period, share, period_start, used)
  select $1, $2, n, to_timestamp(0), 0 from generate_series(0, 127) n
  on conflict (tenant, period, share) do nothing`;

const REMOVE = 'delete from postrider.quotas where tenant = $1 and period = $2 returning period';

const USE = {
  name: 'policy_quota_use',
  text: `
    select q.tenant, q.period, q.max_emails::text as most, coalesce(sum(s.used), 0)::text as used, p.ends as reset_at
    from postrider.quotas q
      cross join lateral (
        select date_trunc(q.period, now() at time zone 'UTC') at time zone 'UTC' as starts,
          (date_trunc(q.period, now() at time zone 'UTC') + ('1 ' || q.period)::interval) at time zone 'UTC' as ends
      ) p
      left join postrider.quota_shares s
        on s.tenant = q.tenant and s.period = q.period and s.period_start = p.starts
    where $1::text is null or q.tenant = $1
    group by q.tenant, q.period, q.max_emails, p.ends
    order by q.tenant, q.period`,
};
