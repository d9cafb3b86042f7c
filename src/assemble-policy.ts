import type { Config } from './config.js';
import type { Clock, Logger } from './kernel/index.js';
import {
  createQuotas,
  createRateLimits,
  createRulesReader,
  forgetRecipient,
  hashAddress,
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
    person: { tenant: string | null; addresses: readonly string[] },
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
  const hashKey = limits.hashKey ?? WITHOUT_KEY;
  const readers = new WeakMap<Database, RulesReader>();
  function rulesOf(store: Database): RulesReader {
    const known = readers.get(store);
    if (known) return known;
    const reader = createRulesReader({
      database: store.prompt(),
      clock,
      logger,
      declared: (type) => registry.find(type)?.rateLimit ?? null,
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
      declared: registry.list,
      defaultTenant: email.defaultCompany,
    }),
    quotas: createQuotas(access),
    forgetRecipient: (store, person) =>
      forgetRecipient(store, {
        ...person,
        hashAddress: (tenant, address) => hashAddress(hashKey, tenant, address),
      }),
  };
}

/** Not a secret: it only keeps the hashes apart from those of other systems. */
const WITHOUT_KEY = 'postrider without a key';
