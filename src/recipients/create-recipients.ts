import {
  type Clock,
  invalidPayload,
  isPostriderError,
  PostriderError,
  parsePattern,
} from '../kernel/index.js';
import {
  type CallerTransaction,
  callerTransaction,
  type Database,
  type Queryable,
  sqlStateOf,
} from '../store/index.js';
import { inTurns } from './in-turns.js';
import {
  type ParsedRecipient,
  PEOPLE_LIST,
  parsePast,
  parseRecipient,
  parseRef,
  RECIPIENT_PAGE_FIELDS,
  REPORT_FIELDS,
} from './parse-recipient.js';
import { findRecipient, listRecipients, softDeleteRecipient } from './read-recipients.js';
import type { Recipient, RecipientInput, RecipientRef } from './recipient.js';
import {
  type CheckIn,
  type RecentActivity,
  readRecentActivity,
  reportActivity,
  reportCheckIn,
} from './report-activity.js';
import { type UpsertedRecipient, upsertRecipients } from './upsert-recipients.js';

/** The people of a tenant. Every call is about one company: that of `companyId`, or the default one. */
export interface Recipients {
  /** Makes or changes up to 10,000 people at once, all or none, by externalId where given, else by email. */
  upsert(people: readonly RecipientInput[], options?: RecipientOptions): Promise<UpsertedRecipient[]>;
  /** Any number, in transactions of a few thousand; stops at the first refusal, naming its number. */
  importAll(
    people: AsyncIterable<unknown> | Iterable<unknown>,
    options?: ImportOptions,
  ): Promise<ImportReport>;
  get(person: RecipientRef, options?: RecipientOptions): Promise<Recipient | null>;
  /** In the order they came; pass `nextCursor` on for the next page. */
  list(options?: ListOptions): Promise<RecipientPage>;
  /** Hidden from everything, and mail to them by id is refused; answers whether there was one. */
  remove(person: RecipientRef, options?: RecipientOptions): Promise<boolean>;
  /** Once a day, where the person lives; more on one day change nothing. */
  reportCheckIn(person: RecipientRef, options?: ReportOptions): Promise<CheckIn>;
  /** `kind` is a word of the application's own, such as `meeting`. */
  reportActivity(person: RecipientRef, options?: ReportOptions & { kind?: string }): Promise<void>;
  /** By recipientId: what they did in the last days. */
  recentActivity(recipientIds: readonly string[], days?: number): Promise<Map<string, RecentActivity[]>>;
}

export interface RecipientOptions {
  companyId?: string;
  tx?: CallerTransaction | undefined;
}

export interface ReportOptions extends RecipientOptions {
  /** When it happened; now, unless said. */
  at?: Date | string;
}

export interface ListOptions {
  companyId?: string;
  status?: string;
  /** 1 to 1000; 100 unless said. */
  limit?: number;
  cursor?: string;
}

export interface RecipientPage {
  recipients: Recipient[];
  /** null on the last page. */
  nextCursor: string | null;
}

export interface ImportOptions {
  companyId?: string;
  onProgress?(done: number): void;
}

export interface ImportReport {
  created: number;
  updated: number;
}

export interface RecipientsParts {
  database: () => Promise<Database>;
  clock: Clock;
  defaultTenant: string;
}

export function createRecipients({ database, clock, defaultTenant }: RecipientsParts): Recipients {
  const tenantOf = (companyId: unknown): string =>
    parsePattern(companyId, 'companyId', COMPANY_ID, COMPANY_FORM) ?? defaultTenant;

  async function within<T>(tx: unknown, work: (tx: Queryable) => Promise<T>): Promise<T> {
    if (tx !== undefined) return work(callerTransaction(tx));
    const store = await database();
    for (let tries = 1; ; tries += 1) {
      try {
        return await store.transaction(work);
      } catch (error) {
        if (tries === MAX_TRIES || sqlStateOf(error) !== DEADLOCK) throw error;
      }
    }
  }

  async function need(tx: Queryable, tenant: string, input: RecipientRef): Promise<string> {
    const ref = parseRef(input);
    const person = await findRecipient(tx, tenant, ref);
    if (person) return person.recipientId;
    throw new PostriderError('RECIPIENT_NOT_FOUND', 'There is no such recipient in this company.', {
      field: Object.keys(ref)[0]!,
    });
  }

  async function importAll(
    people: AsyncIterable<unknown> | Iterable<unknown>,
    { companyId, onProgress }: ImportOptions = {},
  ): Promise<ImportReport> {
    const tenant = tenantOf(companyId);
    const report = { created: 0, updated: 0 };
    let done = 0;
    let batch: ParsedRecipient[] = [];
    let bytes = 0;
    const flush = async () => {
      if (batch.length === 0) return;
      const answers = await within(undefined, (tx) => upsertRecipients(tx, tenant, batch)).catch(
        (error: unknown) => {
          throw shifted(error, done);
        },
      );
      for (const { created } of answers) report[created ? 'created' : 'updated'] += 1;
      done += batch.length;
      batch = [];
      bytes = 0;
      onProgress?.(done);
    };
    for await (const given of people) {
      // Read at once, as what is not a person may be a megabyte a row.
      const person = parseRecipient(given, `[${done + batch.length}]`);
      batch.push(person);
      bytes += JSON.stringify(person).length;
      if (batch.length >= IMPORT_BATCH || bytes >= IMPORT_BYTES) await flush();
    }
    await flush();
    return report;
  }

  return {
    async upsert(people, { companyId, tx } = {}) {
      const tenant = tenantOf(companyId);
      PEOPLE_LIST.read(people, 'recipients');
      const parsed = await inTurns(people, (person, index) =>
        parseRecipient(person, people.length > 1 ? `[${index}]` : ''),
      );
      if (parsed.length === 0) return [];
      return within(tx, (own) => upsertRecipients(own, tenant, parsed));
    },
    importAll,
    async get(person, { companyId, tx } = {}) {
      const ref = parseRef(person);
      const store = tx === undefined ? (await database()).prompt() : callerTransaction(tx);
      return findRecipient(store, tenantOf(companyId), ref);
    },
    async list({ companyId, status, limit = 100, cursor } = {}) {
      RECIPIENT_PAGE_FIELDS.limit.read(limit, 'limit');
      const after = RECIPIENT_PAGE_FIELDS.cursor.read(cursor, 'cursor');
      const { recipients, more } = await listRecipients((await database()).prompt(), tenantOf(companyId), {
        after,
        limit,
        status: RECIPIENT_PAGE_FIELDS.status.read(status, 'status'),
      });
      return { recipients, nextCursor: more ? recipients.at(-1)!.recipientId : null };
    },
    remove: (person, { companyId, tx } = {}) =>
      within(tx, async (own) => {
        const found = await findRecipient(own, tenantOf(companyId), parseRef(person));
        return found !== null && softDeleteRecipient(own, tenantOf(companyId), found.recipientId);
      }),
    reportCheckIn: (person, { companyId, tx, at } = {}) =>
      within(tx, async (own) => {
        const when = at === undefined ? new Date(clock.now()) : parsePast(at, 'at', clock.now());
        const id = await need(own, tenantOf(companyId), person);
        const checkIn = await reportCheckIn(own, id, when);
        if (checkIn) return checkIn;
        throw new PostriderError('RECIPIENT_NOT_FOUND', 'The recipient was deleted in this moment.');
      }),
    reportActivity: (person, { companyId, tx, at, kind = 'activity' } = {}) =>
      within(tx, async (own) => {
        const when = at === undefined ? new Date(clock.now()) : parsePast(at, 'at', clock.now());
        const word = REPORT_FIELDS.kind.read(kind, 'kind')!;
        await reportActivity(own, await need(own, tenantOf(companyId), person), { kind: word, at: when });
      }),
    async recentActivity(recipientIds, days = 7) {
      if (!Number.isInteger(days) || days < 1 || days > 366)
        throw invalidPayload('days', 'must be a whole number from 1 to 366');
      const since = new Date(clock.now() - days * 86_400_000).toISOString().slice(0, 10);
      return readRecentActivity(await database(), recipientIds, since);
    },
  };
}

/** Two imports of the same people may wait for each other in a circle; PostgreSQL ends one of them. */
const DEADLOCK = '40P01';
const MAX_TRIES = 5;
const IMPORT_BATCH = 2000;
const IMPORT_BYTES = 4 * 1024 ** 2;
const COMPANY_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const COMPANY_FORM = '1 to 128 letters, digits, dots, colons, hyphens or underscores';

/** A refusal of one batch counts from the start of the import. */
function shifted(error: unknown, by: number): unknown {
  if (!isPostriderError(error)) return error;
  const match = /^\[(\d+)\](.*)$/.exec(error.field ?? '');
  if (!match) return error;
  const field = `[${Number(match[1]) + by}]${match[2]}`;
  return new PostriderError(error.code, error.message.replace(error.field!, field), { field, cause: error });
}
