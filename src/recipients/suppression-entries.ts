import { hashAddress, invalidPayload, isUuid, parseMailbox } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import { addSuppressions } from './write-suppressions.js';

/**
 * The list of those not to write to, entry by entry with an id each, as the Resend API handles it. Unsubscribes are a
 * contact's own wish and not part of it.
 */
export interface SuppressionEntry {
  id: string;
  /** null where the person was erased. */
  email: string | null;
  origin: SuppressionOrigin;
  emailId: string | null;
  createdAt: string;
}

export const SUPPRESSION_ORIGINS = ['bounce', 'complaint', 'manual'] as const;
export type SuppressionOrigin = (typeof SUPPRESSION_ORIGINS)[number];

export interface SuppressionEntries {
  list(companyId: string, page: EntryPage): Promise<{ entries: SuppressionEntry[]; more: boolean }>;
  find(companyId: string, idOrEmail: string): Promise<SuppressionEntry | null>;
  /** By hand; the entries there are afterwards, in the order of the addresses. */
  add(companyId: string, emails: readonly string[]): Promise<SuppressionEntry[]>;
  /** The entries that were there. */
  remove(
    companyId: string,
    which: { ids: readonly string[] } | { emails: readonly string[] },
  ): Promise<SuppressionEntry[]>;
}

export interface EntryPage {
  origin: SuppressionOrigin | null;
  limit: number;
  after: string | null;
  before: string | null;
}

export interface EntriesParts {
  database: () => Promise<Database>;
  hashKey: string;
  /** This process has changed the list. */
  onChange(): void;
}

export function createSuppressionEntries({ database, hashKey, onChange }: EntriesParts): SuppressionEntries {
  const prompt = async () => (await database()).prompt();
  const addressOf = (email: unknown, index: number) => parseMailbox(email, `emails[${index}]`).address;
  const hashOf = (tenant: string, address: string) => hashAddress(hashKey, tenant, address).toString('hex');

  return {
    async list(companyId, { origin, limit, after, before }) {
      const order = before === null ? 'desc' : 'asc';
      const { rows } = await (await prompt()).query<SuppressionEntry>(
        `select ${SHOWN} from postrider.suppressions
         where tenant = $1 and reason <> 'unsubscribe' and ($2::text is null or reason = $2)
           and ($3::uuid is null or id ${before === null ? '<' : '>'} $3) order by id ${order} limit $4::int`,
        [companyId, origin, before ?? after, limit + 1],
      );
      const entries = rows.slice(0, limit);
      return { entries: before === null ? entries : entries.reverse(), more: rows.length > limit };
    },
    async find(companyId, idOrEmail) {
      const byId = isUuid(idOrEmail);
      const { rows } = await (await prompt()).query<SuppressionEntry>(
        `select ${SHOWN} from postrider.suppressions where tenant = $1 and reason <> 'unsubscribe'
         and ${byId ? 'id = $2::uuid' : "address_hash = decode($2, 'hex')"} order by id limit 1`,
        [companyId, byId ? idOrEmail : hashOf(companyId, addressOf(idOrEmail, 0))],
      );
      return rows[0] ?? null;
    },
    async add(companyId, emails) {
      const addresses = emails.map(addressOf);
      const hashes = addresses.map((address) => hashOf(companyId, address));
      const entries = addresses.map((email) => ({
        email,
        reason: 'manual' as const,
        category: '',
        emailId: null,
        note: null,
      }));
      const rows = await (await prompt()).transaction(async (tx) => {
        await addSuppressions(tx, { tenant: companyId, hashKey }, entries);
        const found = await tx.query<SuppressionEntry & { hash: string }>(
          `select ${SHOWN}, encode(address_hash, 'hex') as hash from postrider.suppressions
           where tenant = $1 and reason = 'manual' and address_hash in (select decode(h, 'hex') from unnest($2::text[]) h)`,
          [companyId, hashes],
        );
        return found.rows;
      });
      onChange();
      const byHash = new Map(rows.map(({ hash, ...entry }) => [hash, entry]));
      return hashes.flatMap((hash) => byHash.get(hash) ?? []);
    },
    async remove(companyId, which) {
      const byId = 'ids' in which;
      if (byId && !which.ids.every(isUuid)) throw invalidPayload('ids', 'must be ids of suppressions');
      const keys = byId
        ? which.ids
        : which.emails.map(addressOf).map((address) => hashOf(companyId, address));
      const { rows } = await (await prompt()).query<SuppressionEntry>(
        `delete from postrider.suppressions where tenant = $1 and reason <> 'unsubscribe' and ${
          byId
            ? 'id = any ($2::uuid[])'
            : "address_hash in (select decode(h, 'hex') from unnest($2::text[]) h)"
        } returning ${SHOWN}`,
        [companyId, keys],
      );
      onChange();
      return rows;
    },
  };
}

const SHOWN = `id, address as email, reason as origin, email_id as "emailId",
  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt"`;
