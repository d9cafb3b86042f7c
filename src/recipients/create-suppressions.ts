import { hashAddress, invalidPayload, parseMailbox, parsePattern, pathTo } from '../kernel/index.js';
import { type CallerTransaction, callerTransaction, type Database, type Queryable } from '../store/index.js';
import { inTurns } from './in-turns.js';
import {
  type ParsedSuppression,
  parseSuppression,
  SUPPRESSION_KEY_FIELDS,
  SUPPRESSION_LIST,
  SUPPRESSION_PAGE_FIELDS,
} from './parse-suppression.js';
import type { Suppression, SuppressionInput } from './suppression.js';
import { addSuppressions, listSuppressions, removeSuppressions } from './write-suppressions.js';

/** Whom a tenant must not write to. What is accepted for them ends as `suppressed`; so does what waits already. */
export interface Suppressions {
  /**
   * Up to 10,000 at once; those that are there already stay as they are. Returns how many were new. An `emailId` that
   * names no email of this tenant is refused.
   */
  add(entries: readonly SuppressionInput[], options?: SuppressionOptions): Promise<number>;
  /** Every reason of an address, or one; returns how many there were. */
  remove(
    entry: Pick<SuppressionInput, 'email' | 'reason' | 'category'>,
    options?: SuppressionOptions,
  ): Promise<number>;
  /** Why this address is not written to; empty where it is. */
  find(email: string, options?: { companyId?: string }): Promise<Suppression[]>;
  list(options?: SuppressionListOptions): Promise<SuppressionPage>;
  /**
   * Any number, a few thousand to a statement; stops at the first refusal, naming its row. A file may come from another
   * store or be older than its emails: an `emailId` that names none of this tenant is left out.
   */
  importAll(
    rows: AsyncIterable<unknown> | Iterable<unknown>,
    options?: { companyId?: string; onProgress?(done: number): void },
  ): Promise<{ added: number; known: number }>;
  /** All of them, a page in memory at a time. */
  exportAll(options?: { companyId?: string; reason?: string }): AsyncGenerator<Suppression>;
}

export interface SuppressionOptions {
  companyId?: string;
  tx?: CallerTransaction | undefined;
}

export interface SuppressionListOptions {
  companyId?: string;
  reason?: string;
  limit?: number;
  cursor?: string;
}

export interface SuppressionPage {
  suppressions: Suppression[];
  nextCursor: string | null;
}

export interface SuppressionsParts {
  database: () => Promise<Database>;
  defaultTenant: string;
  hashKey: string;
  /** Which of these ids name emails of the tenant, as the ledger knows. */
  findOwnEmails(
    tx: Queryable,
    asked: { tenant: string; emailIds: readonly string[] },
  ): Promise<ReadonlySet<string>>;
  /** This process has changed the list. */
  onChange(): void;
}

export function createSuppressions(parts: SuppressionsParts): Suppressions {
  const { database, hashKey } = parts;
  const tenantOf = (companyId: unknown): string =>
    parsePattern(companyId, 'companyId', COMPANY_ID, 'the id of a company') ?? parts.defaultTenant;
  const target = async (tx: unknown): Promise<Queryable> =>
    tx === undefined ? (await database()).prompt() : callerTransaction(tx);

  async function ownEmails(
    tx: Queryable,
    tenant: string,
    entries: readonly ParsedSuppression[],
  ): Promise<ReadonlySet<string>> {
    const emailIds = new Set(entries.flatMap(({ emailId }) => emailId ?? []));
    return emailIds.size === 0 ? emailIds : parts.findOwnEmails(tx, { tenant, emailIds: [...emailIds] });
  }

  async function page(
    tenant: string,
    filter: { after: string | null; limit: number; reason: string | null },
  ) {
    return listSuppressions(await database(), tenant, { ...filter, hash: null });
  }

  return {
    async add(entries, { companyId, tx } = {}) {
      SUPPRESSION_LIST.read(entries, 'suppressions');
      const placeOf = (index: number) => (entries.length > 1 ? `[${index}]` : '');
      const parsed = await inTurns(entries, (entry, index) => parseSuppression(entry, placeOf(index)));
      const tenant = tenantOf(companyId);
      const store = await target(tx);
      const own = await ownEmails(store, tenant, parsed);
      for (const [index, { emailId }] of parsed.entries())
        if (emailId !== null && !own.has(emailId))
          throw invalidPayload(pathTo(placeOf(index), 'emailId'), 'names no email of this company');
      const added = await addSuppressions(store, { tenant, hashKey }, parsed);
      parts.onChange();
      return added;
    },
    async remove({ email, reason, category }, { companyId, tx } = {}) {
      return removeSuppressions(
        await target(tx),
        { tenant: tenantOf(companyId), hashKey },
        {
          email: parseMailbox(email, 'email').address,
          reason: SUPPRESSION_KEY_FIELDS.reason.read(reason, 'reason'),
          category: SUPPRESSION_KEY_FIELDS.category.read(category ?? undefined, 'category'),
        },
      );
    },
    async find(email, { companyId } = {}) {
      const tenant = tenantOf(companyId);
      const hash = hashAddress(hashKey, tenant, parseMailbox(email, 'email').address);
      const rows = await listSuppressions(await target(undefined), tenant, {
        after: null,
        limit: MAX_PAGE,
        reason: null,
        hash,
      });
      return rows.map(shown);
    },
    async list({ companyId, reason, limit = 100, cursor } = {}) {
      SUPPRESSION_PAGE_FIELDS.limit.read(limit, 'limit');
      const rows = await page(tenantOf(companyId), {
        after: SUPPRESSION_PAGE_FIELDS.cursor.read(cursor, 'cursor'),
        limit: limit + 1,
        reason: SUPPRESSION_PAGE_FIELDS.reason.read(reason, 'reason'),
      });
      const more = rows.length > limit;
      if (more) rows.pop();
      return { suppressions: rows.map(shown), nextCursor: more ? rows.at(-1)!.id : null };
    },
    async importAll(rows, { companyId, onProgress } = {}) {
      const keeper = { tenant: tenantOf(companyId), hashKey };
      const report = { added: 0, known: 0 };
      let done = 0;
      let batch: ParsedSuppression[] = [];
      const flush = async () => {
        const store = await database();
        const own = await ownEmails(store, keeper.tenant, batch);
        const added = await addSuppressions(
          store,
          keeper,
          batch.map((entry) =>
            entry.emailId !== null && own.has(entry.emailId) ? entry : { ...entry, emailId: null },
          ),
        );
        parts.onChange();
        report.added += added;
        report.known += batch.length - added;
        done += batch.length;
        batch = [];
        onProgress?.(done);
      };
      for await (const row of rows) {
        // Read at once, as what is not an entry may be a megabyte a row.
        batch.push(parseSuppression(row, `[${done + batch.length}]`));
        if (batch.length >= IMPORT_BATCH) await flush();
      }
      await flush();
      return report;
    },
    async *exportAll({ companyId, reason } = {}) {
      const tenant = tenantOf(companyId);
      const only = SUPPRESSION_KEY_FIELDS.reason.read(reason, 'reason');
      let after: string | null = null;
      for (;;) {
        const rows: Array<Suppression & { id: string }> = await page(tenant, {
          after,
          limit: MAX_PAGE,
          reason: only,
        });
        for (const row of rows) yield shown(row);
        if (rows.length < MAX_PAGE) return;
        after = rows.at(-1)!.id;
      }
    },
  };
}

const MAX_PAGE = 1000;
const IMPORT_BATCH = 2000;
const COMPANY_ID = /^[A-Za-z0-9._:-]{1,128}$/;

function shown({ id: _, ...suppression }: Suppression & { id: string }): Suppression {
  return suppression;
}
