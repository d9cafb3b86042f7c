import { type Clock, hashAddress } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';

/**
 * Which addresses of a batch must not be written to, in one query. While nobody is suppressed and no email is one that
 * people can refuse, there is no query at all but for one look in a quarter of a second.
 */
export interface SuppressionReader {
  find(database: Queryable, emails: readonly Addressed[]): Promise<Map<string, Suppressed[]>>;
  /** This process has changed the list. */
  forget(): void;
}

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

export function createSuppressionReader(options: { clock: Clock; hashKey: string }): SuppressionReader {
  let emptyUntil = Number.NEGATIVE_INFINITY;

  async function isEmpty(database: Queryable): Promise<boolean> {
    const now = options.clock.monotonic();
    if (now < emptyUntil) return true;
    const { rows } = await database.query<{ any: boolean }>(ANY);
    if (rows[0]?.any !== false) return false;
    emptyUntil = now + EMPTY_MS;
    return true;
  }

  return {
    forget() {
      emptyUntil = Number.NEGATIVE_INFINITY;
    },
    async find(database, emails) {
      const found = new Map<string, Suppressed[]>();
      if (emails.length === 0) return found;
      const refusable = emails.some((email) => email.category !== null && !email.essential);
      if (!refusable && (await isEmpty(database))) return found;
      const asked = emails.flatMap(({ addresses, ...email }) =>
        addresses.map((address) => ({ address, ...email })),
      );
      const { rows } = await database.query<{ position: number; reason: string }>(FIND, [
        asked.map(({ tenant }) => tenant),
        asked.map(({ tenant, address }) => hashAddress(options.hashKey, tenant, address).toString('hex')),
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
    },
  };
}

const EMPTY_MS = 250;

const ANY = {
  name: 'recipients_any_suppressed',
  text: 'select exists (select 1 from postrider.suppressions) as any',
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
