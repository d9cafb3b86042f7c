import { createDeadLetters, type DeadLetters } from './dead-letters.js';
import { createEmailLogs, type EmailLogs } from './email-logs.js';
import {
  type EraseOptions,
  type EraseParts,
  type ErasureReport,
  type ErasureRequest,
  erasePerson,
} from './erase-person.js';
import { countOwedEvents, leaveBus } from './events/index.js';
import { type Clock, isUuid, refuseUnknownKeys } from './kernel/index.js';
import {
  CANCEL_FILTER,
  type CancelFilter,
  cancelMany,
  countCancellable,
  listPauses,
  type Pause,
} from './outbox/index.js';
import { type EmailFilterInput, readEmailFilter } from './read-email-filter.js';
import type { Database } from './store/index.js';
import {
  type AttachmentFile,
  type EmailAttachments,
  findAttachment,
  findAttachments,
  type HoldContent,
  type RouteOverview,
  readRoutes,
} from './views/index.js';

/**
 * What an operator does with many emails: list, take back, look after the dead letters. Parses what callers give,
 * calls a room, and returns what it says.
 */
export interface Operations extends EmailLogs {
  /** Takes back all waiting emails a filter means, or says how many there are. */
  cancelMany(filter: CancelManyFilter, options?: CancelManyOptions): Promise<CancelManyReport>;
  /** What is held back, and since when. */
  listPauses(): Promise<Pause[]>;
  /** Every way out: whether it goes, how fast it may, how many wait for it. */
  listRoutes(): Promise<RouteOverview[]>;
  /** The files of an email, or null where there is no such email. */
  attachments(emailId: string, options?: OfCompany): Promise<EmailAttachments | null>;
  /** One file, by its place in that list. */
  attachment(
    emailId: string,
    index: number,
    options?: OfCompany & { hold?: HoldContent | undefined },
  ): Promise<AttachmentFile | null>;
  /** Takes one person out of everything; may be repeated until it is complete. */
  erase(person: ErasureRequest, options?: EraseOptions): Promise<ErasureReport>;
  /** Events of emails that wait for the broker of the bus; null when none are noted. */
  waitingForBus(): Promise<number | null>;
  /** Has events noted no longer, and forgets those that wait; returns how many. */
  leaveBus(): Promise<number>;
  /** What ended in failed or unknown. */
  readonly deadLetters: DeadLetters;
}

export interface OfCompany {
  companyId?: string | undefined;
}

export interface CancelManyFilter
  extends Pick<EmailFilterInput, 'companyId' | 'type' | 'recipient' | 'days' | 'from' | 'to'> {
  status?: 'scheduled' | 'pending' | 'retry' | 'processing' | 'all';
}

export interface CancelManyOptions {
  /** Count, and change nothing. */
  dryRun?: boolean;
  by?: string;
  onProgress?(cancelled: number): void;
}

export interface CancelManyReport {
  /** How many could be cancelled when it began. */
  matching: number;
  cancelled: number;
  dryRun: boolean;
}

const MAX_INDEX = 999;

export function createOperations(
  database: () => Promise<Database>,
  clock: Clock,
  forgetRecipient: EraseParts['forgetRecipient'],
): Operations {
  return {
    ...createEmailLogs(database, clock),
    async cancelMany(filter, { dryRun = false, ...options } = {}) {
      refuseUnknownKeys(options, ['by', 'onProgress'], 'INVALID_PAYLOAD');
      const meant: CancelFilter = readEmailFilter(CANCEL_FILTER, filter, clock.now());
      const store = await database();
      const matching = await countCancellable(store, meant);
      const cancelled = dryRun ? 0 : await cancelMany(store, meant, options);
      return { matching, cancelled, dryRun };
    },
    listPauses: async () => listPauses((await database()).prompt()),
    listRoutes: async () => readRoutes((await database()).prompt()),
    async attachments(emailId, { companyId } = {}) {
      return isUuid(emailId)
        ? findAttachments((await database()).prompt(), emailId, { tenant: companyId })
        : null;
    },
    async attachment(emailId, index, { companyId, hold } = {}) {
      if (!isUuid(emailId) || !Number.isInteger(index) || index < 0 || index > MAX_INDEX) return null;
      return findAttachment((await database()).prompt(), emailId, index, { tenant: companyId, hold });
    },
    erase: async (person, options) =>
      erasePerson({ database: await database(), forgetRecipient }, person, options),
    waitingForBus: async () => countOwedEvents((await database()).prompt()),
    leaveBus: async () => leaveBus(await database()),
    deadLetters: createDeadLetters(database, clock),
  };
}
