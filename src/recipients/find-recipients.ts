import type { Queryable } from '../store/index.js';

/**
 * Which of the people that emails name are not theirs to write to: of another tenant, deleted, or with another
 * address. An id of ours must exist; an application's own id that was never registered here is the application's
 * matter and passes.
 */
export interface NamedRecipient {
  recipientId: string | null;
  externalId: string | null;
  tenant: string;
  email: string;
}

export async function findUnknownRecipients<Ref extends NamedRecipient>(
  database: Queryable,
  refs: readonly Ref[],
): Promise<Ref[]> {
  if (refs.length === 0) return [];
  const { rows } = await database.query<KnownRow>(FIND, [
    refs.flatMap((ref) => ref.recipientId ?? []),
    refs.flatMap((ref) => (ref.externalId === null ? [] : ref.tenant)),
    refs.flatMap((ref) => ref.externalId ?? []),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const byExternalId = new Map<string, KnownRow>();
  for (const row of rows) {
    const key = `${row.tenant} ${row.external_id}`;
    if (row.external_id !== null && (row.live || !byExternalId.has(key))) byExternalId.set(key, row);
  }
  const fits = (row: KnownRow, ref: Ref) =>
    row.live && row.tenant === ref.tenant && row.email.toLowerCase() === ref.email.toLowerCase();
  return refs.filter((ref) => {
    const own = ref.recipientId === null ? null : byId.get(ref.recipientId.toLowerCase());
    if (own === undefined || (own && !fits(own, ref))) return true;
    if (ref.externalId === null) return false;
    if (own && own.external_id !== null && own.external_id !== ref.externalId) return true;
    const named = byExternalId.get(`${ref.tenant} ${ref.externalId}`);
    return named !== undefined && !fits(named, ref);
  });
}

/** The languages of people an email names, by the key of the name. */
export async function findLanguages(
  database: Queryable,
  refs: ReadonlyArray<Omit<NamedRecipient, 'email'>>,
): Promise<Map<string, string>> {
  if (refs.length === 0) return new Map();
  const { rows } = await database.query<KnownRow>(FIND, [
    refs.flatMap((ref) => ref.recipientId ?? []),
    refs.flatMap((ref) => (ref.externalId === null ? [] : ref.tenant)),
    refs.flatMap((ref) => ref.externalId ?? []),
  ]);
  const languages = new Map<string, string>();
  for (const row of rows) {
    if (!row.live || row.language === null) continue;
    languages.set(nameKey({ recipientId: row.id, externalId: null, tenant: row.tenant }), row.language);
    if (row.external_id !== null)
      languages.set(
        nameKey({ recipientId: null, externalId: row.external_id, tenant: row.tenant }),
        row.language,
      );
  }
  return languages;
}

export function nameKey({ recipientId, externalId, tenant }: Omit<NamedRecipient, 'email'>): string {
  return recipientId === null
    ? `${tenant} external ${externalId}`
    : `${tenant} id ${recipientId.toLowerCase()}`;
}

interface KnownRow {
  id: string;
  tenant: string;
  external_id: string | null;
  email: string;
  language: string | null;
  live: boolean;
}

const FIND = {
  name: 'recipients_find',
  text: `
    select id, tenant, external_id, email, language, deleted_at is null as live
    from postrider.recipients where id = any ($1::uuid[]) and deleted_at is null
    union
    select r.id, r.tenant, r.external_id, r.email, r.language, r.deleted_at is null
    from unnest($2::text[], $3::text[]) n(tenant, external_id)
    join postrider.recipients r on r.tenant = n.tenant and r.external_id = n.external_id`,
};
