import { type Clock, PostriderError } from './kernel/index.js';
import {
  type EmailFilterInput,
  type FilterName,
  type ReadFilter,
  readCursor,
  readEmailFilter,
  readLimit,
} from './read-email-filter.js';
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

const NAMES: readonly FilterName[] = [
  'companyId',
  'status',
  'type',
  'recipient',
  'userId',
  'provider',
  'messageId',
  'days',
  'from',
  'to',
];
const STATS_NAMES = NAMES.filter((name) => name !== 'status');
const USUAL_DAYS = 7;
const MOST_PAGES = 200;

export function createEmailLogs(database: () => Promise<Database>, clock: Clock): EmailLogs {
  async function resolve({ messageId, ...filter }: ReadFilter): Promise<EmailFilter> {
    return messageId === undefined
      ? filter
      : { ...filter, ids: await findByMessageId(await database(), messageId) };
  }

  return {
    async list({ limit, cursor, ...given } = {}) {
      const filter = readEmailFilter(given, NAMES, clock.now());
      const page = { limit: readLimit(limit, { otherwise: 50, most: 200 }), cursor: readCursor(cursor) };
      return listEmails(await database(), await resolve(filter), page);
    },
    async log({ limit, page, cursor, ...given } = {}) {
      const filter = await resolve(readEmailFilter(recent(given), NAMES, clock.now()));
      const size = readLimit(limit, { otherwise: 50, most: 200 });
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
      const filter = await resolve(readEmailFilter(recent(given), STATS_NAMES, clock.now()));
      return readEmailStats(await database(), filter);
    },
    async userEmails({ userId, companyId, page, limit }) {
      const { userId: user, tenant } = readEmailFilter({ userId, companyId }, NAMES, clock.now());
      if (user === undefined || tenant === undefined) throw refused('userId', 'and companyId are needed');
      const at = { page: readPage(page), limit: readLimit(limit, { otherwise: 20, most: 100 }) };
      return listUserEmails(await database(), { userId: user, tenant }, at);
    },
  };
}

/** What names a person or a message is looked for at any time. */
function recent(given: EmailFilterInput): EmailFilterInput {
  const anyTime = [given.days, given.from, given.to, given.recipient, given.messageId, given.userId];
  return anyTime.some((value) => value !== undefined) ? given : { ...given, days: USUAL_DAYS };
}

/** Far pages would be counted through from the first; cursors are not. */
function readPage(page: unknown): number {
  if (page === undefined) return 1;
  if (!Number.isInteger(page) || (page as number) < 1 || (page as number) > MOST_PAGES)
    throw refused('page', `must be a whole number from 1 to ${MOST_PAGES}; cursors lead further`);
  return page as number;
}

function refused(field: string, what: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} ${what}.`, { field });
}
