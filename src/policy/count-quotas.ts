import type { Queryable } from '../store/index.js';
import type { Judged } from './judge-emails.js';
import type { Rules } from './rules.js';
import type { Refusal } from './verdict.js';

/**
 * The quotas of tenants: every email counts one, whoever it is to. All or none, without waiting and without one row
 * that everybody updates (see migrations/0010_quotas.sql). A share in the hands of an open transaction counts as
 * spent, so the last emails of a quota may be refused while others are being accepted, but it is never exceeded.
 */
export async function countQuotas(
  tx: Queryable,
  rules: Rules,
  emails: readonly Judged[],
): Promise<Refusal | null> {
  const wanted = new Map<string, number[]>();
  emails.forEach(({ tenant, suppressed }, index) => {
    if (suppressed === null && rules.hasQuota(tenant))
      wanted.set(tenant, [...(wanted.get(tenant) ?? []), index]);
  });
  if (wanted.size === 0) return null;
  const { rows } = await tx.query<SpentQuota>(TAKE, [
    [...wanted.keys()],
    [...wanted.values()].map((indexes) => indexes.length),
  ]);
  return rows[0] ? exceeded(rows[0], wanted.get(rows[0].tenant)!) : null;
}

/** Numbers as text: how bigint is read on the caller's connection is the caller's choice. */
interface SpentQuota {
  tenant: string;
  period: 'day' | 'month';
  most: string;
  used: string;
  reset_at: string;
  reset_in: string;
}

const TAKE = {
  name: 'policy_take_quotas',
  text: `
    select tenant, period, most::text as most, used::text as used, (extract(epoch from reset_at) * 1000)::text as reset_at,
      extract(epoch from reset_at - clock_timestamp())::text as reset_in
    from postrider.take_quotas($1::text[], $2::int[])`,
};

function exceeded(row: SpentQuota, indexes: readonly number[]): Refusal {
  const limit = Number(row.most);
  const remaining = Math.max(0, limit - Number(row.used));
  const inFlight = remaining >= indexes.length;
  return {
    accept: false,
    code: 'QUOTA_EXCEEDED',
    message: inFlight
      ? `What is left of the quota of ${limit} emails a ${row.period} is being spent at this moment.`
      : `This company may send ${limit} emails a ${row.period}.`,
    index: indexes[Math.min(remaining, indexes.length - 1)]!,
    rateLimit: { limit, remaining, resetAt: new Date(Number(row.reset_at)) },
    retryAfterSeconds: inFlight ? 1 : Math.max(1, Math.ceil(Number(row.reset_in))),
  };
}
