import { type Clock, hashAddress } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';

/** What decides: whom it goes to, and what kind of email it is. */
export interface Addressed {
  id: string;
  tenant: string;
  addresses: readonly string[];
  /** The preference that turns it off; null: none does. */
  category: string | null;
  essential: boolean;
}

export interface Suppressed {
  address: string;
  /** A reason of the list, or `preference`: the person has said no to this kind. */
  reason: string;
}

/** SQL that tells whether anyone is suppressed, for a statement that is sent anyway. */
export const ANY_SUPPRESSED = '(select exists (select 1 from postrider.suppressions))';

/** While nobody is suppressed, emails that no preference turns off need no further look. */
export const isRefusable = ({ category, essential }: Pick<Addressed, 'category' | 'essential'>): boolean =>
  category !== null && !essential;

/** Which addresses of a batch must not be written to, in one query. */
export async function findSuppressed(
  database: Queryable,
  hashKey: string,
  emails: readonly Addressed[],
): Promise<Map<string, Suppressed[]>> {
  const found = new Map<string, Suppressed[]>();
  if (emails.length === 0) return found;
  const asked = emails.flatMap(({ addresses, ...email }) =>
    addresses.map((address) => ({ address, ...email })),
  );
  const { rows } = await database.query<{ position: number; reason: string }>(FIND, [
    asked.map(({ tenant }) => tenant),
    asked.map(({ tenant, address }) => hashAddress(hashKey, tenant, address).toString('hex')),
    asked.map(({ address }) => address.toLowerCase()),
    asked.map(({ category }) => category ?? ''),
    // as text: postgres.js takes a list of booleans for one
    asked.map(({ essential }) => String(essential)),
  ]);
  for (const { position, reason } of rows) {
    const { id, address } = asked[position - 1]!;
    const list = found.get(id) ?? [];
    list.push({ address, reason });
    found.set(id, list);
  }
  return found;
}

/**
 * For intake, which remembers for a quarter of a second that nobody is suppressed. What was suppressed by another process
 * or in a transaction meanwhile is missed here and seen by the worker, which remembers nothing.
 */
export interface SuppressionReader {
  find(database: Queryable, emails: readonly Addressed[]): Promise<Map<string, Suppressed[]>>;
  /** This process has changed the list. */
  forget(): void;
}

export function createSuppressionReader(options: { clock: Clock; hashKey: string }): SuppressionReader {
  let emptyUntil = Number.NEGATIVE_INFINITY;
  let changes = 0;

  async function isEmpty(database: Queryable): Promise<boolean> {
    const now = options.clock.monotonic();
    if (now < emptyUntil) return true;
    const before = changes;
    const { rows } = await database.query<{ any: boolean }>(ANY);
    if (rows[0]?.any !== false) return false;
    // A look that began before a change says nothing about the list after it.
    if (changes === before) emptyUntil = now + EMPTY_MS;
    return true;
  }

  return {
    forget() {
      changes += 1;
      emptyUntil = Number.NEGATIVE_INFINITY;
    },
    async find(database, emails) {
      if (emails.length === 0) return new Map();
      if (!emails.some(isRefusable) && (await isEmpty(database))) return new Map();
      return findSuppressed(database, options.hashKey, emails);
    },
  };
}

const EMPTY_MS = 250;

const ANY = {
  name: 'recipients_any_suppressed',
  text: `select ${ANY_SUPPRESSED} as any`,
};

const FIND = {
  name: 'recipients_find_suppressed',
  text: `
    with asked as materialized (
      select position::integer, tenant, decode(hash, 'hex') as hash, address, category, essential::boolean
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
        with ordinality as a(tenant, hash, address, category, essential, position)
    ), reasons as (
      select a.position, s.reason from asked a
      join postrider.suppressions s on s.tenant = a.tenant and s.address_hash = a.hash
      where (s.category = '' or s.category = a.category)
        and (not a.essential or s.reason in ('bounce', 'manual'))
      union all
      select a.position, 'preference' from asked a
      join postrider.recipients r on r.tenant = a.tenant and lower(r.email) = a.address and r.deleted_at is null
      where a.category <> '' and not a.essential and r.preferences -> a.category = 'false'::jsonb
    )
    select position, min(reason) as reason from reasons group by position order by position`,
};
