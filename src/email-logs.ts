import { type Clock, PostriderError } from './kernel/index.js';
import { EMAIL_FILTER, PAGE_FIELDS, STATS_FILTER, USER_PAGE_FIELDS } from './outbox/index.js';
import { type EmailFilterInput, type ReadFilter, readEmailFilter } from './read-email-filter.js';
import type { Database } from './store/index.js';
import {
  type EmailAttempt,
  type EmailFilter,
  type EmailLog,
  type EmailPage,
  type EmailStats,
  findByMessageId,
  listAttempts,
  listEmails,
  listUserEmails,
  readEmailStats,
  type UserEmailPage,
} from './views/index.js';

/**
 * The log of emails as three people read it: an application by cursor, an operator with every attempt and the
 * statistics, a user their own.
 */
export interface EmailLogs {
  /** The newest first, 50 at a time unless asked otherwise; `nextCursor` leads on. */
  list(filter?: EmailFilterInput & { limit?: number; cursor?: string }): Promise<EmailPage>;
  /** For operators: full details and statistics; the last seven days unless asked otherwise. */
  log(filter?: EmailFilterInput & { limit?: number; page?: number; cursor?: string }): Promise<OperatorPage>;
  stats(filter?: Omit<EmailFilterInput, 'status'>): Promise<EmailStats>;
  /** What one user was sent, 20 a page. */
  userEmails(user: UserInput): Promise<UserEmailPage>;
}

export interface UserInput {
  userId: string;
  companyId: string;
  page?: number;
  limit?: number;
}

export interface OperatorPage {
  emails: Array<EmailLog & { history: EmailAttempt[] }>;
  page: number;
  limit: number;
  nextCursor: string | null;
  stats: EmailStats;
}

const USUAL_DAYS = 7;
const USUAL_PAGE = 50;
const USUAL_USER_PAGE = 20;

export function createEmailLogs(database: () => Promise<Database>, clock: Clock): EmailLogs {
  async function resolve({ messageId, ...filter }: ReadFilter): Promise<EmailFilter> {
    return messageId === undefined
      ? filter
      : { ...filter, ids: await findByMessageId(await database(), messageId) };
  }

  return {
    async list({ limit, cursor, ...given } = {}) {
      const filter = readEmailFilter(EMAIL_FILTER, given, clock.now());
      const page = { limit: readLimit(limit), cursor: readCursor(cursor) };
      return listEmails(await database(), await resolve(filter), page);
    },
    async log({ limit, page, cursor, ...given } = {}) {
      const filter = await resolve(readEmailFilter(EMAIL_FILTER, recent(given), clock.now()));
      const size = readLimit(limit);
      const number = readPage(page);
      if (page !== undefined && cursor !== undefined) throw refused('cursor', 'and page exclude each other');
      const store = await database();
      const [found, stats] = await Promise.all([
        listEmails(store, filter, { limit: size, cursor: readCursor(cursor), offset: (number - 1) * size }),
        readEmailStats(store, filter),
      ]);
      const history = await listAttempts(
        store,
        found.emails.map((email) => email.id),
      );
      const emails = found.emails.map((email) => ({ ...email, history: history.get(email.id) ?? [] }));
      return { emails, page: number, limit: size, nextCursor: found.nextCursor, stats };
    },
    async stats(given = {}) {
      const filter = await resolve(readEmailFilter(STATS_FILTER, recent(given), clock.now()));
      return readEmailStats(await database(), filter);
    },
    async userEmails({ userId, companyId, page, limit }) {
      const { userId: user, tenant } = readEmailFilter(EMAIL_FILTER, { userId, companyId }, clock.now());
      if (user === undefined || tenant === undefined) throw refused('userId', 'and companyId are needed');
      const size = limit === undefined ? USUAL_USER_PAGE : USER_PAGE_FIELDS.limit.read(limit, 'limit')!;
      const number = page === undefined ? 1 : USER_PAGE_FIELDS.page.read(page, 'page')!;
      return listUserEmails(await database(), { userId: user, tenant }, { page: number, limit: size });
    },
  };
}

/** Of every list that goes on by cursor. */
export function readLimit(limit: unknown): number {
  return limit === undefined ? USUAL_PAGE : PAGE_FIELDS.limit.read(limit, 'limit')!;
}

export function readCursor(cursor: unknown): string | undefined {
  return cursor === undefined ? undefined : PAGE_FIELDS.cursor.read(cursor, 'cursor');
}

/** What names a person or a message is looked for at any time. */
function recent(given: EmailFilterInput): EmailFilterInput {
  const anyTime = [given.days, given.from, given.to, given.recipient, given.messageId, given.userId];
  return anyTime.some((value) => value !== undefined) ? given : { ...given, days: USUAL_DAYS };
}

const readPage = (page: unknown) => (page === undefined ? 1 : PAGE_FIELDS.page.read(page, 'page'));

function refused(field: string, what: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} ${what}.`, { field });
}
