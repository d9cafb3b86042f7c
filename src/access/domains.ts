import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { isUuid, PostriderError } from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';
import { type Actor, audited } from './audit-log.js';
import { domainSettings } from './domain-settings.js';
import { domains as domainList, readInput } from './read-input.js';

/**
 * Domains a tenant says are its own. One is believed when DNS shows the tenant's token; only then it may be sent from,
 * where the tenant is held to a list. What operators have put on that list is shown as verified; what they have taken
 * off it is not, whatever DNS says, until it is proven again.
 */
export interface Domain {
  id: string;
  name: string;
  status: 'not_started' | 'verified' | 'failed';
  /** The TXT record that proves it. */
  record: { name: string; value: string };
  region: string;
  createdAt: string;
}

export interface Domains {
  create(companyId: string, input: unknown, by: Actor): Promise<Domain>;
  list(companyId: string): Promise<Domain[]>;
  get(companyId: string, id: string): Promise<Domain | null>;
  /** There is nothing to change that a domain decides; what cannot be so is refused. */
  change(companyId: string, id: string, settings: unknown): Promise<Domain>;
  /** Looks into DNS; what it finds is in the status afterwards. */
  verify(companyId: string, id: string, by: Actor): Promise<Domain>;
  /** The tenant gives it up, and may not send from it any more. */
  remove(companyId: string, id: string, by: Actor): Promise<void>;
}

export interface DomainsParts {
  database: () => Promise<Database>;
  /** Where a tenant without a list may send from nowhere. */
  strict: boolean;
  /** Where the store is, as its tenants are told. */
  region: string;
  /** The TXT records of a name; empty where there are none or nobody answers. */
  resolveTxt(name: string): Promise<string[]>;
}

export function createDomains({ database, strict, region, resolveTxt }: DomainsParts): Domains {
  const settings = z.object(domainSettings(region));
  const newDomain = settings.extend({
    name: z
      .string('is missing')
      .transform((name) => [name])
      .pipe(domainList),
  });
  const prompt = async () => (await database()).prompt();

  async function read(from: Queryable, companyId: string, id: string | null = null): Promise<Domain[]> {
    const { rows } = await from.query<DomainRow>(READ, [companyId, id, strict]);
    return rows.map((row) => present(row, region));
  }

  async function found(companyId: string, id: string): Promise<Domain> {
    const [domain] = isUuid(id) ? await read(await prompt(), companyId, id) : [];
    if (domain) return domain;
    throw new PostriderError('NOT_FOUND', 'Domain not found', { field: 'id' });
  }

  return {
    async create(companyId, input, by) {
      const [name] = readInput(newDomain, input).name;
      return audited(await database(), by, async (tx) => {
        const { rows } = await tx.query<Named>(
          `insert into postrider.domains (tenant, name, token) values ($1, $2, $3)
           on conflict (tenant, name) do nothing returning id, name`,
          [companyId, name, randomBytes(16).toString('hex')],
        );
        if (!rows[0])
          throw new PostriderError('INVALID_PAYLOAD', 'The domain has been added already.', {
            field: 'name',
          });
        const entry = entryOf('domain.create', companyId, rows[0]);
        return { result: (await read(tx, companyId, rows[0].id))[0]!, entry };
      });
    },
    async list(companyId) {
      const store = await prompt();
      await store.query(ADOPT, [companyId, randomBytes(16).toString('hex')]);
      return read(store, companyId);
    },
    get: async (companyId, id) =>
      isUuid(id) ? ((await read(await prompt(), companyId, id))[0] ?? null) : null,
    async change(companyId, id, input) {
      const domain = await found(companyId, id);
      readInput(settings, input);
      return domain;
    },
    async verify(companyId, id, by) {
      const domain = await found(companyId, id);
      const holds = (await resolveTxt(domain.record.name)).includes(domain.record.value);
      return audited(await database(), by, async (tx) => {
        const { rows } = await tx.query<Named>(
          `update postrider.domains set checked_at = now(), verified_at = case when $3::boolean then coalesce(verified_at, now()) else verified_at end
           where tenant = $1 and id = $2 returning id, name`,
          [companyId, id, holds],
        );
        if (!rows[0]) throw new PostriderError('NOT_FOUND', 'Domain not found', { field: 'id' });
        if (holds) await tx.query(ALLOW, [companyId, domain.name, strict]);
        const entry = {
          ...entryOf('domain.verify', companyId, rows[0]),
          detail: { name: domain.name, holds },
        };
        return { result: (await read(tx, companyId, id))[0]!, entry };
      });
    },
    async remove(companyId, id, by) {
      await found(companyId, id);
      await audited(await database(), by, async (tx) => {
        const { rows } = await tx.query<Named>(
          'delete from postrider.domains where tenant = $1 and id = $2 returning id, name',
          [companyId, id],
        );
        if (!rows[0]) return { result: undefined, entry: null };
        // An empty list allows none; a tenant without one was never held to any.
        await tx.query(
          'update postrider.tenants set from_domains = array_remove(from_domains, $2) where id = $1',
          [companyId, rows[0].name],
        );
        return { result: undefined, entry: entryOf('domain.remove', companyId, rows[0]) };
      });
    },
  };
}

interface Named {
  id: string;
  name: string;
}

interface DomainRow extends Named {
  token: string;
  checked_at: Date | null;
  /** Whether the tenant may send from it, as far as it was proven or an operator says so. */
  holds: boolean;
  created_at: Date;
}

function present(row: DomainRow, region: string): Domain {
  return {
    id: row.id,
    name: row.name,
    status: row.holds ? 'verified' : row.checked_at ? 'failed' : 'not_started',
    record: { name: `_postrider.${row.name}`, value: `postrider-verification=${row.token}` },
    region,
    createdAt: new Date(row.created_at).toISOString(),
  };
}

function entryOf(action: string, companyId: string, { id, name }: Named) {
  return { action, target: id, companyId, detail: { name } };
}

// A list decides alone; without one, and where none is needed, the proof does.
const READ = `
  select d.id, d.name, d.token, d.checked_at, d.created_at,
    case when t.from_domains is not null then d.name = any (t.from_domains)
         else d.verified_at is not null and not $3::boolean end as holds
  from postrider.domains d left join postrider.tenants t on t.id = d.tenant
  where d.tenant = $1 and ($2::uuid is null or d.id = $2) order by d.id desc`;

// What operators allow needs no proof; each gets a token all the same, should it be verified again later.
const ADOPT = `
  insert into postrider.domains (tenant, name, token, verified_at)
  select t.id, d.name, md5($2 || d.name), now()
  from postrider.tenants t cross join lateral unnest(t.from_domains) as d(name) where t.id = $1
  on conflict (tenant, name) do nothing`;

const ALLOW = `
  update postrider.tenants
  set from_domains = case
    when from_domains is null and not $3::boolean then null
    when $2 = any (coalesce(from_domains, '{}')) then from_domains
    else coalesce(from_domains, '{}') || $2::text end
  where id = $1`;
