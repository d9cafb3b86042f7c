import type { Clock, Logger, RateLimit } from '../kernel/index.js';
import { createSnapshotCache, type Database, type Queryable } from '../store/index.js';
import { hashAddress } from './hash-address.js';
import { listQuotaRows } from './quotas.js';
import { listRateLimitRows } from './rate-limits.js';

/**
 * The limits and quotas that hold at one moment, found without asking the database: a change is seen within a second.
 * Where nothing is limited, accepting costs nothing.
 */
export interface Rules {
  /** What was set for the tenant, else for every tenant, else what the code declares. */
  limitOf(tenant: string, type: string): RateLimit | null;
  /** Whether that limit, or that there is none, was set here and not declared. */
  isSet(tenant: string, type: string): boolean;
  hasQuota(tenant: string): boolean;
  hashAddress(tenant: string, address: string): string;
  /** Whether any of these is counted, which must then happen in the transaction that writes them. */
  count(emails: ReadonlyArray<{ tenant: string; type: string | null }>): boolean;
}

export interface RulesReader {
  current(tx?: Queryable): Promise<Rules>;
  /** This process has changed a limit. */
  forget(): void;
}

export interface RulesOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  /** What code says about a type. */
  declared(type: string): RateLimit | null;
  limitsEnabled: boolean;
  /** The key of the addresses' hashes. */
  hashKey: string;
}

export function createRulesReader(options: RulesOptions): RulesReader {
  const cache = createSnapshotCache<Snapshot>({
    ...options,
    what: 'limits',
    async read(from, before) {
      const { rows } = await from.query<{ revision: number }>(REVISION);
      const revision = rows[0]?.revision ?? 0;
      if (before?.revision === revision) return before;
      return { revision, rules: toRules(options, await listRateLimitRows(from), await listQuotaRows(from)) };
    },
  });
  return {
    current: async (tx) => (await cache.current(tx)).rules,
    forget: cache.forget,
  };
}

interface Snapshot {
  revision: number;
  rules: Rules;
}

const REVISION = {
  name: 'policy_revision',
  text: 'select revision from postrider.policy_revision',
};

function toRules(
  { declared, limitsEnabled, hashKey }: RulesOptions,
  limits: ReadonlyArray<{ tenant: string; type: string; limit: RateLimit | null }>,
  quotas: ReadonlyArray<{ tenant: string }>,
): Rules {
  const set = new Map(limits.map(({ tenant, type, limit }) => [`${tenant}\n${type}`, limit]));
  const withQuota = new Set(quotas.map(({ tenant }) => tenant));
  const limitOf = (tenant: string, type: string): RateLimit | null => {
    if (!limitsEnabled) return null;
    const own = set.get(`${tenant}\n${type}`);
    if (own !== undefined) return own;
    const general = set.get(`\n${type}`);
    return general !== undefined ? general : declared(type);
  };
  return {
    limitOf,
    isSet: (tenant, type) => set.has(`${tenant}\n${type}`) || set.has(`\n${type}`),
    hasQuota: (tenant) => withQuota.has(tenant),
    hashAddress: (tenant, address) => hashAddress(hashKey, tenant, address),
    count: (emails) =>
      emails.some(
        ({ tenant, type }) => withQuota.has(tenant) || (type !== null && limitOf(tenant, type) !== null),
      ),
  };
}
