import { PostriderError, type RateLimit, type RateLimitState } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';
import { changeRules, type RulesAccess } from './change-rules.js';
import { checkCompany, checkFields, checkType } from './check-change.js';
import { COUNTED_BY, RATE_LIMIT_CHANGE } from './limit-inputs.js';
import type { Rules } from './rules.js';

/**
 * Reading and setting how often one recipient may get a type. What is set here wins over what the type declares, for
 * one company over all; it holds at once in this process and within a second in the others.
 */
export interface RateLimits {
  /** Every limit there is, for one company or for all. */
  list(options?: { companyId?: string }): Promise<RateLimitEntry[]>;
  /** `limit: null` lifts the limit; without companyId it is for all of them. */
  set(change: RateLimitChange): Promise<RateLimitEntry>;
  /** Back to what holds without it; answers whether anything was set. */
  remove(which: { type: string; companyId?: string }): Promise<boolean>;
  /**
   * Begins anew to count a user or an address, so that the next email of the type may go: a deletion was withdrawn.
   * Answers how many emails had been counted. Give the userId of emails that named one, else the address.
   */
  reset(whose: CountedBy): Promise<number>;
  /** What a user or an address has left of a type; counts nothing. A userId is for types that count users. */
  check(whose: CountedBy): Promise<RateLimitCheck>;
}

export interface RateLimitEntry {
  type: string;
  /** null: every company. */
  companyId: string | null;
  /** null: no limit. */
  limit: number | null;
  /** null: counted for ever. */
  windowSeconds: number | null;
  /** Whether the type declares it or someone has set it. */
  source: 'declared' | 'set';
}

export interface RateLimitChange {
  type: string;
  companyId?: string | undefined;
  limit: number | null;
  windowSeconds?: number | null | undefined;
}

/** Either a userId or an address. */
export interface CountedBy {
  type: string;
  userId?: string | undefined;
  address?: string | undefined;
  companyId?: string | undefined;
}

export interface RateLimitCheck {
  allowed: boolean;
  /** null: no limit. */
  limit: number | null;
  remaining: number | null;
  resetAt: Date | null;
}

export interface RateLimitsOptions extends RulesAccess {
  /** Every type that declares a limit. */
  declared(): ReadonlyArray<{ type: string; rateLimit: RateLimit | null }>;
  defaultTenant: string;
}

export function createRateLimits(options: RateLimitsOptions): RateLimits {
  const { declared, defaultTenant } = options;

  function readPerson(whose: CountedBy) {
    const { type, companyId: tenant = defaultTenant, ...person } = COUNTED_BY.read(whose, '');
    const countedAs = (rules: Rules): string =>
      'userId' in person
        ? rules.hashUser(tenant, person.userId)
        : rules.hashAddress(tenant, person.address.address);
    return { tenant, type, byUser: 'userId' in person, countedAs };
  }

  return {
    async list({ companyId } = {}) {
      checkCompany(companyId);
      const rows = await listRateLimitRows((await options.database()).prompt());
      const relevant = rows.filter(
        ({ tenant }) => companyId === undefined || tenant === '' || tenant === companyId,
      );
      const general = new Set(rows.filter(({ tenant }) => tenant === '').map(({ type }) => type));
      const fromCode = declared().flatMap(({ type, rateLimit }) =>
        rateLimit && !general.has(type)
          ? [
              {
                type,
                companyId: null,
                limit: rateLimit.limit,
                windowSeconds: rateLimit.windowSeconds,
                source: 'declared' as const,
              },
            ]
          : [],
      );
      return [...fromCode, ...relevant.map(toEntry)].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
    },
    async set(input) {
      const { type, companyId, limit, windowSeconds } = checkLimit(input);
      const tenant = companyId ?? '';
      await changeRules(options, async (tx) => {
        await tx.query(SET, [tenant, type, limit, limit === null ? null : windowSeconds]);
        return true;
      });
      return { type, companyId: companyId ?? null, limit, windowSeconds, source: 'set' };
    },
    async remove({ type, companyId }) {
      checkType(type);
      checkCompany(companyId);
      return changeRules(
        options,
        async (tx) => (await tx.query(REMOVE, [companyId ?? '', type])).rowCount > 0,
      );
    },
    async reset(whose) {
      const { tenant, type, countedAs } = readPerson(whose);
      const recipient = countedAs(await (await options.rules()).current());
      const database = (await options.database()).prompt();
      return (await database.query(RESET, [tenant, recipient, type])).rowCount;
    },
    async check(whose) {
      const { tenant, type, byUser, countedAs } = readPerson(whose);
      const rules = await (await options.rules()).current();
      const limit = rules.limitOf(tenant, type);
      if (!limit) return { allowed: true, limit: null, remaining: null, resetAt: null };
      if (byUser && !rules.countsByUser(type))
        throw new PostriderError('INVALID_PAYLOAD', `The limit of ${type} counts addresses, not users.`, {
          field: 'userId',
        });
      const database = (await options.database()).prompt();
      const state = await readState(database, { tenant, recipient: countedAs(rules), type, limit });
      return { allowed: state.remaining > 0, ...state };
    },
  };
}

export async function listRateLimitRows(database: Queryable): Promise<RateLimitRow[]> {
  const { rows } = await database.query<{
    tenant: string;
    type: string;
    max_emails: number | null;
    window_seconds: number | null;
  }>({
    name: 'policy_rate_limits',
    text: 'select tenant, type, max_emails, window_seconds from postrider.rate_limits order by tenant, type',
  });
  return rows.map(({ tenant, type, max_emails, window_seconds }) => ({
    tenant,
    type,
    limit: max_emails === null ? null : { limit: max_emails, windowSeconds: window_seconds },
  }));
}

interface RateLimitRow {
  /** '' for every company. */
  tenant: string;
  type: string;
  limit: RateLimit | null;
}

/** Expired windows, in small batches; returns how many rows. */
export async function forgetOldSlots(database: Queryable): Promise<number> {
  let total = 0;
  for (;;) {
    const { rowCount } = await database.query(FORGET, [FORGET_BATCH]);
    total += rowCount;
    if (rowCount < FORGET_BATCH) return total;
  }
}

const FORGET_BATCH = 2000;

function checkLimit(input: RateLimitChange): Required<Omit<RateLimitChange, 'companyId'>> & {
  companyId: string | undefined;
  windowSeconds: number | null;
} {
  const { type, ...change } = checkFields(input, ['type', 'companyId', 'limit', 'windowSeconds']);
  const { limit, windowSeconds = null, companyId } = RATE_LIMIT_CHANGE.read(change, '');
  return { type: checkType(type), companyId: companyId ?? undefined, limit, windowSeconds };
}

function toEntry({ tenant, type, limit }: RateLimitRow): RateLimitEntry {
  return {
    type,
    companyId: tenant === '' ? null : tenant,
    limit: limit?.limit ?? null,
    windowSeconds: limit?.windowSeconds ?? null,
    source: 'set',
  };
}

function orderOf({ type, companyId }: RateLimitEntry): string {
  return `${type}\n${companyId ?? ''}`;
}

async function readState(
  database: Queryable,
  { tenant, recipient, type, limit }: { tenant: string; recipient: string; type: string; limit: RateLimit },
): Promise<RateLimitState> {
  const seconds = limit.windowSeconds ?? 0;
  const { rows } = await database.query<{ used: number; reset_ms: number | null }>(STATE, [
    tenant,
    recipient,
    type,
    seconds,
  ]);
  const { used, reset_ms } = rows[0]!;
  return {
    limit: limit.limit,
    remaining: Math.max(0, limit.limit - used),
    resetAt: reset_ms === null ? null : new Date(reset_ms),
  };
}

const SET = `
  insert into postrider.rate_limits (tenant, type, max_emails, window_seconds) values ($1, $2, $3, $4)
  on conflict (tenant, type) do update
  set max_emails = excluded.max_emails, window_seconds = excluded.window_seconds, updated_at = now()`;

const REMOVE = 'delete from postrider.rate_limits where tenant = $1 and type = $2 returning type';

const RESET = {
  name: 'policy_reset_rate_limit',
  text: `
    delete from postrider.rate_limit_slots where tenant = $1 and recipient = decode($2, 'hex') and type = $3
    returning slot`,
};

const STATE = {
  name: 'policy_rate_state',
  text: `
    with w as (
      select case when $4::int = 0 then 0
        else floor(extract(epoch from clock_timestamp()) / $4::int)::bigint * $4::int end as starts
    )
    select count(s.slot)::int as used,
      case when $4::int > 0 then (w.starts + $4::int) * 1000::float8 end as reset_ms
    from w left join postrider.rate_limit_slots s on s.tenant = $1 and s.recipient = decode($2, 'hex')
      and s.type = $3 and s.window_start = to_timestamp(w.starts)
    group by w.starts`,
};

const FORGET = {
  name: 'policy_forget_slots',
  text: `
    with gone as materialized (
      select ctid from postrider.rate_limit_slots where expires_at < now() limit $1::int for update skip locked
    )
    delete from postrider.rate_limit_slots s using gone where s.ctid = gone.ctid returning s.slot`,
};
