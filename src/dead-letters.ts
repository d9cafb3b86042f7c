import { type Clock, isUuid, PostriderError, refuseUnknownKeys } from './kernel/index.js';
import { discardDeadLetters, type RetryRefusal, retryDeadLetters } from './outbox/index.js';
import {
  type EmailFilterInput,
  type FilterName,
  readCursor,
  readEmailFilter,
  readLimit,
} from './read-email-filter.js';
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

const NAMES: readonly FilterName[] = ['companyId', 'status', 'type', 'recipient', 'days', 'from', 'to'];
const BATCH = 200;
const MOST_IDS = 10_000;
const EXAMPLES = 100;

export function createDeadLetters(database: () => Promise<Database>, clock: Clock): DeadLetters {
  const read = (query: object): DeadLetterFilter => readQuery(query as DeadLetterQuery, clock.now());

  /** Hands out the ids in batches; those of a filter as they stand when their page is read. */
  async function* batchesOf(which: Which): AsyncGenerator<{ ids: string[]; tenant?: string }> {
    if ('emailIds' in which) {
      const ids = idsOf(which.emailIds);
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
      const page = { limit: readLimit(limit, { otherwise: 50, most: 200 }), cursor: readCursor(cursor) };
      return listDeadLetters(await database(), read(query), page);
    },
    groups: async (query = {}) => groupDeadLetters(await database(), read(query)),
    async get(emailId, { companyId } = {}) {
      return isUuid(emailId) ? findDeadLetter(await database(), emailId, { tenant: companyId }) : null;
    },
    async retry(which, options = {}) {
      checkWhich(which);
      refuseUnknownKeys(options, ['by', 'onProgress', 'acceptDuplicates'], 'INVALID_PAYLOAD');
      const report: RetryReport = { retried: 0, refused: {}, examples: [] };
      let done = 0;
      for await (const { ids, tenant } of batchesOf(which)) {
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
      checkWhich(which);
      refuseUnknownKeys(options, ['by', 'onProgress', 'reason'], 'INVALID_PAYLOAD');
      let discarded = 0;
      for await (const { ids, tenant } of batchesOf(which)) {
        const { by, reason } = options;
        discarded += (await discardDeadLetters(await database(), ids, { tenant, by, reason })).length;
        options.onProgress?.(discarded);
      }
      return { discarded };
    },
  };
}

function readQuery({ errorCode, ...query }: DeadLetterQuery, now: number): DeadLetterFilter {
  const { status, ...filter } = readEmailFilter(query, NAMES, now);
  if (status !== undefined && status !== 'failed' && status !== 'unknown')
    throw refused('status', 'must be failed, unknown or all');
  if (
    errorCode !== undefined &&
    (typeof errorCode !== 'string' || errorCode === '' || errorCode.includes('\0'))
  )
    throw refused('errorCode', 'must be a text');
  return { ...filter, status, errorCode };
}

/** All of everything is a filter too, but one that has to be written down. */
function checkWhich(which: Which): void {
  if (typeof which !== 'object' || which === null || 'emailIds' in which === 'filter' in which)
    throw refused('emailIds', 'or filter must say which dead letters are meant, one of the two');
  refuseUnknownKeys(which, 'filter' in which ? ['filter'] : ['emailIds', 'companyId'], 'INVALID_PAYLOAD');
  if ('filter' in which && (typeof which.filter !== 'object' || which.filter === null))
    throw refused('filter', 'must be an object');
}

function idsOf(emailIds: unknown): string[] {
  if (!Array.isArray(emailIds) || emailIds.length === 0 || emailIds.length > MOST_IDS)
    throw refused('emailIds', `must be a list of 1 to ${MOST_IDS} ids`);
  const wrong = emailIds.findIndex((id) => !isUuid(id));
  if (wrong !== -1) throw refused(`emailIds[${wrong}]`, 'is not the id of an email');
  return [...new Set(emailIds.map((id: string) => id.toLowerCase()))];
}

function refused(field: string, what: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} ${what}.`, { field });
}
