import { readCursor, readLimit } from './email-logs.js';
import { type Clock, field, isUuid, refuseUnknownKeys } from './kernel/index.js';
import {
  DEAD_LETTER_FILTER,
  discardDeadLetters,
  type RetryRefusal,
  retryDeadLetters,
  whichDeadLetters,
} from './outbox/index.js';
import { type EmailFilterInput, readEmailFilter } from './read-email-filter.js';
import type { Database } from './store/index.js';
import {
  type DeadLetter,
  type DeadLetterFilter,
  type DeadLetterGroup,
  findDeadLetter,
  groupDeadLetters,
  listDeadLetters,
} from './views/index.js';

/**
 * What ended in `failed` or `unknown` and waits for a person: look, try again, or take off the list. Whoever presses
 * twice, or beside another operator, gets each email tried again once. Large sets go in batches; what was done stays.
 */
export interface DeadLetters {
  list(
    filter?: DeadLetterQuery & { limit?: number; cursor?: string },
  ): Promise<{ deadLetters: DeadLetter[]; nextCursor: string | null }>;
  /** How many there are of each error, the most frequent first. */
  groups(filter?: DeadLetterQuery): Promise<DeadLetterGroup[]>;
  get(emailId: string, options?: { companyId?: string }): Promise<DeadLetter | null>;
  /** The ones named, or all a filter means. */
  retry(which: Which, options?: RetryOptions): Promise<RetryReport>;
  discard(which: Which, options?: ActOptions & { reason?: string }): Promise<{ discarded: number }>;
}

export interface DeadLetterQuery
  extends Pick<EmailFilterInput, 'companyId' | 'type' | 'recipient' | 'days' | 'from' | 'to'> {
  status?: 'failed' | 'unknown' | 'all';
  errorCode?: string;
}

export type Which = { emailIds: readonly string[]; companyId?: string } | { filter: DeadLetterQuery };

export interface ActOptions {
  /** Who asked, for the email's journal. */
  by?: string;
  onProgress?(done: number): void;
}

export interface RetryOptions extends ActOptions {
  /** Also those that may have been delivered already. */
  acceptDuplicates?: boolean;
}

export interface RetryReport {
  retried: number;
  /** By reason; `needs-confirmation` are those that may have been delivered. */
  refused: Partial<Record<RetryRefusal, number>>;
  /** The refused ones, up to a hundred. */
  examples: Array<{ emailId: string; reason: RetryRefusal }>;
}

const WHICH = whichDeadLetters({}, { companyId: field.line(128) });
type Meant = ReturnType<typeof WHICH.read>;
const BATCH = 200;
const EXAMPLES = 100;

export function createDeadLetters(database: () => Promise<Database>, clock: Clock): DeadLetters {
  const read = (query: object): DeadLetterFilter => readEmailFilter(DEAD_LETTER_FILTER, query, clock.now());

  /** Hands out the ids in batches; those of a filter as they stand when their page is read. */
  async function* batchesOf(which: Meant): AsyncGenerator<{ ids: string[]; tenant?: string }> {
    if ('emailIds' in which) {
      const ids = [...new Set(which.emailIds.map((id) => id.toLowerCase()))];
      for (let at = 0; at < ids.length; at += BATCH)
        yield { ids: ids.slice(at, at + BATCH), tenant: which.companyId };
      return;
    }
    const filter = read(which.filter);
    let cursor: string | undefined;
    do {
      const page = await listDeadLetters(await database(), filter, { limit: BATCH, cursor });
      if (page.deadLetters.length > 0)
        yield { ids: page.deadLetters.map((letter) => letter.id), tenant: filter.tenant };
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  return {
    async list({ limit, cursor, ...query } = {}) {
      const page = { limit: readLimit(limit), cursor: readCursor(cursor) };
      return listDeadLetters(await database(), read(query), page);
    },
    groups: async (query = {}) => groupDeadLetters(await database(), read(query)),
    async get(emailId, { companyId } = {}) {
      return isUuid(emailId) ? findDeadLetter(await database(), emailId, { tenant: companyId }) : null;
    },
    async retry(which, options = {}) {
      const meant = WHICH.read(which, '');
      refuseUnknownKeys(options, ['by', 'onProgress', 'acceptDuplicates'], 'INVALID_PAYLOAD');
      const report: RetryReport = { retried: 0, refused: {}, examples: [] };
      let done = 0;
      for await (const { ids, tenant } of batchesOf(meant)) {
        const { by, acceptDuplicates } = options;
        const answer = await retryDeadLetters(await database(), ids, { tenant, by, acceptDuplicates });
        report.retried += answer.retried.length;
        for (const { reason } of answer.refused) report.refused[reason] = (report.refused[reason] ?? 0) + 1;
        report.examples.push(...answer.refused.slice(0, EXAMPLES - report.examples.length));
        done += ids.length;
        options.onProgress?.(done);
      }
      return report;
    },
    async discard(which, options = {}) {
      const meant = WHICH.read(which, '');
      refuseUnknownKeys(options, ['by', 'onProgress', 'reason'], 'INVALID_PAYLOAD');
      let discarded = 0;
      for await (const { ids, tenant } of batchesOf(meant)) {
        const { by, reason } = options;
        discarded += (await discardDeadLetters(await database(), ids, { tenant, by, reason })).length;
        options.onProgress?.(discarded);
      }
      return { discarded };
    },
  };
}
