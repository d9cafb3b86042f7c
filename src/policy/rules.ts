import { type Clock, hashAddress, type Logger, type RateLimit } from '../kernel/index.js';
import { createSnapshotCache, type Database, type Queryable } from '../store/index.js';
import { hashUser } from './hash-user.js';
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
  /** Whether the type counts users, where an email names one. */
  countsByUser(type: string): boolean;
  hasQuota(tenant: string): boolean;
  hashAddress(tenant: string, address: string): string;
  /** A user as they are counted, never equal to an address. */
  hashUser(tenant: string, userId: string): string;
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
  countsByUser(type: string): boolean;
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
  { declared, countsByUser, limitsEnabled, hashKey }: RulesOptions,
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
    countsByUser,
    hasQuota: (tenant) => withQuota.has(tenant),
    hashAddress: (tenant, address) => hashAddress(hashKey, tenant, address).toString('hex'),
    hashUser: (tenant, userId) => hashUser(hashKey, tenant, userId),
    count: (emails) =>
      emails.some(
        ({ tenant, type }) => withQuota.has(tenant) || (type !== null && limitOf(tenant, type) !== null),
      ),
  };
}
