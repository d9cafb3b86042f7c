import type { Config } from './config.js';
import { addressHashKey, type Clock, hashAddress, type Logger } from './kernel/index.js';
import {
  type CountedPerson,
  createQuotas,
  createRateLimits,
  createRulesReader,
  forgetRecipient,
  hashUser,
  type Quotas,
  type RateLimits,
  type RulesReader,
} from './policy/index.js';
import type { EmailRegistry } from './render/index.js';
import type { Database } from './store/index.js';

/** Limits and quotas, put together for one process: what intake asks, and what changes them. */
export interface AssembledPolicy {
  rulesOf(database: Database): RulesReader;
  rateLimits: RateLimits;
  quotas: Quotas;
  /** Removes what was counted for a person. */
  forgetRecipient(
    database: Database,
    person: Pick<CountedPerson, 'tenant' | 'addresses' | 'users'>,
  ): Promise<number>;
}

export interface PolicyParts {
  registry: EmailRegistry;
  database: () => Promise<Database>;
  clock: Clock;
  logger: Logger;
}

export function assemblePolicy(
  { limits, email }: Config,
  { registry, database, clock, logger }: PolicyParts,
): AssembledPolicy {
  const hashKey = addressHashKey(limits.hashKey);
  const unlimited = new Set(limits.unlimited ?? []);
  const declaredOf = (type: string) =>
    unlimited.has(type.toLowerCase()) ? null : (registry.find(type)?.rateLimit ?? null);
  const countByOf = (type: string) => registry.find(type)?.rateLimit?.countBy;
  const readers = new WeakMap<Database, RulesReader>();
  function rulesOf(store: Database): RulesReader {
    const known = readers.get(store);
    if (known) return known;
    const reader = createRulesReader({
      database: store.prompt(),
      clock,
      logger,
      declared: declaredOf,
      countsByUser: (type) => countByOf(type) === 'userId',
      limitsEnabled: limits.enabled,
      hashKey,
    });
    readers.set(store, reader);
    return reader;
  }
  const access = { database, rules: async () => rulesOf(await database()) };
  return {
    rulesOf,
    rateLimits: createRateLimits({
      ...access,
      declared: () => registry.list().map(({ type }) => ({ type, rateLimit: declaredOf(type) })),
      defaultTenant: email.defaultCompany,
    }),
    quotas: createQuotas(access),
    forgetRecipient: (store, person) =>
      forgetRecipient(store, {
        ...person,
        hashAddress: (tenant, address) => hashAddress(hashKey, tenant, address).toString('hex'),
        hashUser: (tenant, userId) => hashUser(hashKey, tenant, userId),
      }),
  };
}
