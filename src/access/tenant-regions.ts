import type { Clock } from '../kernel/index.js';
import type { Database } from '../store/index.js';

/**
 * In which region each tenant's emails are kept, where it has one. What was read is believed for 800 ms, as its other
 * rules are; it is asked on the store where the tenants are, never in a caller's transaction.
 */
export interface TenantRegions {
  of(companyId: string): Promise<string | null>;
}

export function createTenantRegions(options: {
  database: () => Promise<Database>;
  clock: Clock;
}): TenantRegions {
  const known = new Map<string, { region: string | null; at: number }>();
  return {
    async of(companyId) {
      const at = options.clock.monotonic();
      const entry = known.get(companyId);
      if (entry && at - entry.at < FRESH_MS) return entry.region;
      const { rows } = await (await options.database())
        .prompt()
        .query<{ region: string | null }>(READ, [companyId]);
      const region = rows[0]?.region ?? null;
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(companyId, { region, at });
      return region;
    },
  };
}

const FRESH_MS = 800;
const MAX_KNOWN = 20_000;
const READ = { name: 'access_tenant_region', text: 'select region from postrider.tenants where id = $1' };
