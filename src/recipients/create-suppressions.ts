import { parseMailbox, parsePattern } from '../kernel/index.js';
import { callerTransaction, type Database, type Queryable } from '../store/index.js';
import { hashAddress } from './hash-address.js';
import {
  parseSuppression,
  SUPPRESSION_KEY_FIELDS,
  SUPPRESSION_LIST,
  SUPPRESSION_PAGE_FIELDS,
} from './parse-suppression.js';
import type { Suppression, SuppressionInput } from './suppression.js';
import { addSuppressions, listSuppressions, removeSuppressions } from './write-suppressions.js';

/** Whom a tenant must not write to. What is accepted for them ends as `suppressed`; so does what waits already. */
export interface Suppressions {
  /** Up to 10,000 at once; those that are there already stay as they are. Returns how many were new. */
  add(entries: readonly SuppressionInput[], options?: SuppressionOptions): Promise<number>;
  /** Every reason of an address, or one; returns how many there were. */
  remove(
    entry: Pick<SuppressionInput, 'email' | 'reason' | 'category'>,
    options?: SuppressionOptions,
  ): Promise<number>;
  /** Why this address is not written to; empty where it is. */
  find(email: string, options?: { companyId?: string }): Promise<Suppression[]>;
  list(options?: SuppressionListOptions): Promise<SuppressionPage>;
  /** Any number, a few thousand to a statement; stops at the first refusal, naming its row. */
  importAll(
    rows: AsyncIterable<unknown> | Iterable<unknown>,
    options?: { companyId?: string; onProgress?(done: number): void },
  ): Promise<{ added: number; known: number }>;
  /** All of them, a page in memory at a time. */
  exportAll(options?: { companyId?: string; reason?: string }): AsyncGenerator<Suppression>;
}

export interface SuppressionOptions {
  companyId?: string;
  tx?: unknown;
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
  /** This process has changed the list. */
  onChange(): void;
}

export function createSuppressions(parts: SuppressionsParts): Suppressions {
  const { database, hashKey } = parts;
  const tenantOf = (companyId: unknown): string =>
    parsePattern(companyId, 'companyId', COMPANY_ID, 'the id of a company') ?? parts.defaultTenant;
  const target = async (tx: unknown): Promise<Queryable> =>
    tx === undefined ? (await database()).prompt() : callerTransaction(tx);

  async function page(
    tenant: string,
    filter: { after: string | null; limit: number; reason: string | null },
  ) {
    return listSuppressions(await database(), tenant, { ...filter, hash: null });
  }

  return {
    async add(entries, { companyId, tx } = {}) {
      SUPPRESSION_LIST.read(entries, 'suppressions');
      const parsed = entries.map((entry, index) =>
        parseSuppression(entry, entries.length > 1 ? `[${index}]` : ''),
      );
      const added = await addSuppressions(await target(tx), { tenant: tenantOf(companyId), hashKey }, parsed);
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
      let batch: unknown[] = [];
      const flush = async () => {
        const parsed = batch.map((row, index) => parseSuppression(row, `[${done + index}]`));
        const added = await addSuppressions(await database(), keeper, parsed);
        parts.onChange();
        report.added += added;
        report.known += parsed.length - added;
        done += batch.length;
        batch = [];
        onProgress?.(done);
      };
      for await (const row of rows) {
        batch.push(row);
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
