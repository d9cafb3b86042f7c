import type { Queryable } from '../store/index.js';
import type { UnsubscribeLink } from './unsubscribe-links.js';

/**
 * What one person gets, as the page behind a link shows and changes it. Two places remember: the list of suppressions,
 * which also knows people nobody registered, and the preferences of the registered, which campaigns ask.
 */
export interface Subscriptions {
  /** Whether everything but the essential is refused. */
  all: boolean;
  /** The kind the link came with first, then what else is known of the person. */
  categories: Array<{ name: string; subscribed: boolean }>;
}

export async function readSubscriptions(
  database: Queryable,
  link: UnsubscribeLink,
  address: string | null,
): Promise<Subscriptions> {
  const { rows } = await database.query<{ category: string; refused: boolean }>(READ, [
    link.tenant,
    link.addressHash.toString('hex'),
    address,
  ]);
  const refused = new Map<string, boolean>([[link.category, false]]);
  for (const row of rows) refused.set(row.category, row.refused || (refused.get(row.category) ?? false));
  const all = refused.get('') ?? false;
  refused.delete('');
  return {
    all,
    categories: [...refused].map(([name, isRefused]) => ({ name, subscribed: !isRefused && !all })),
  };
}

/** Refuses one kind, or everything; answers whether that is new. */
export async function unsubscribe(
  tx: Queryable,
  link: UnsubscribeLink,
  { category, address }: { category: string | null; address: string | null },
): Promise<boolean> {
  const { rows } = await tx.query(UNSUBSCRIBE, [
    link.tenant,
    link.addressHash.toString('hex'),
    category ?? '',
    address,
    link.emailId,
  ]);
  if (category !== null) await setPreference(tx, link.tenant, address, { category, wanted: false });
  return rows.length > 0;
}

/** Wants one kind again. An unsubscribe from everything goes with it: say first which other kinds stay refused. */
export async function resubscribe(
  tx: Queryable,
  link: UnsubscribeLink,
  { category, address }: { category: string; address: string | null },
): Promise<void> {
  await tx.query(
    `delete from postrider.suppressions where tenant = $1 and address_hash = decode($2, 'hex')
     and reason = 'unsubscribe' and category in ('', $3)`,
    [link.tenant, link.addressHash.toString('hex'), category],
  );
  await setPreference(tx, link.tenant, address, { category, wanted: true });
}

async function setPreference(
  tx: Queryable,
  tenant: string,
  address: string | null,
  { category, wanted }: { category: string; wanted: boolean },
): Promise<void> {
  if (address === null) return;
  await tx.query(
    `update postrider.recipients
     set preferences = preferences || jsonb_build_object($3::text, $4::text::boolean), updated_at = now()
     where tenant = $1 and lower(email) = lower($2) and deleted_at is null`,
    [tenant, address, category, String(wanted)],
  );
}

const READ = `
  select category, true as refused from postrider.suppressions
  where tenant = $1 and address_hash = decode($2, 'hex') and reason = 'unsubscribe'
  union all
  select p.key, p.value = 'false'::jsonb from postrider.recipients r cross join lateral jsonb_each(r.preferences) p
  where $3::text is not null and r.tenant = $1 and lower(r.email) = lower($3) and r.deleted_at is null
  order by category`;

const UNSUBSCRIBE = `
  insert into postrider.suppressions (tenant, address_hash, address, reason, category, email_id)
  values ($1, decode($2, 'hex'), $4, 'unsubscribe', $3, $5)
  on conflict (tenant, address_hash, reason, category) do nothing returning id`;
