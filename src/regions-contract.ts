import type { EmailLogs, OperatorPage } from './email-logs.js';
import type { ErasedEverywhere } from './erase-everywhere.js';
import type { EraseOptions, ErasureRequest } from './erase-person.js';
import type { Accepted, AcceptOptions, BatchOptions } from './intake/index.js';
import type { Lifecycle, StopOptions } from './kernel/index.js';
import type { CallOptions, Postrider, PostriderOptions, SendInput } from './postrider-contract.js';
import type { EmailFilterInput } from './read-email-filter.js';
import type { CatalogueType, EmailType } from './render/index.js';
import type { DatabaseSource, MigrationProgress, MigrationReport } from './store/index.js';
import type { EmailEvent, EmailLog } from './views/index.js';

/**
 * Several regions behind one front: a store each, and an email in exactly one of them. What is here finds the region
 * by itself; everything else is done in one region, with `in(name)`. Nothing is copied from one to another.
 */
export interface Regions<Types extends EmailType = CatalogueType> extends Lifecycle {
  readonly names: readonly string[];
  /** Where emails go that nobody gives a region, and where tenants, keys and operators are. */
  readonly home: string;
  /** Everything of one region; UNKNOWN_REGION for one that is not served. */
  in(region: string): Postrider<Types>;
  /** The region a company's emails are kept in by its own choice; null: home. */
  regionOf(companyId: string): Promise<string | null>;
  /** In the region the email names, else its company's, else home. With a transaction the email must name it. */
  send(email: SendInput<Types>, options?: AcceptOptions): Promise<Accepted>;
  /** All or none, so all in one region. */
  sendBatch(emails: readonly SendInput<Types>[], options?: BatchOptions): Promise<Accepted[]>;
  schedule(email: SendInput<Types>, at: Date | string, options?: AcceptOptions): Promise<Accepted>;
  reschedule(emailId: string, at: Date | string, options?: OfCompany): Promise<void>;
  cancel(emailId: string, options?: OfCompany): Promise<EmailLog>;
  get(emailId: string, options?: OfCompany): Promise<EmailLog | null>;
  timeline(emailId: string, options?: OfCompany): Promise<EmailEvent[]>;
  /** Which region an email is in; null where none has it. */
  find(emailId: string, options?: OfCompany): Promise<string | null>;
  /** Of all regions together, the newest first; one that does not answer is named and left out. */
  list(filter?: Parameters<EmailLogs['list']>[0]): Promise<MergedPage>;
  log(filter?: EmailFilterInput & { limit?: number; cursor?: string }): Promise<MergedLog>;
  /** One person out of every region. */
  erase(person: ErasureRequest, options?: EraseOptions): Promise<ErasedEverywhere>;
  /** Each region for itself; the first that fails ends it. */
  migrate(onProgress?: (progress: MigrationProgress) => void): Promise<MigrationReport>;
  /** Recurring emails of every region. */
  startSchedules(): Promise<void>;
  /** Ends workers and schedules; sending goes on until `stop`. */
  stopWorking(options?: StopOptions): Promise<void>;
}

export type OfCompany = Pick<CallOptions, 'companyId'>;

export interface MergedPage {
  emails: Array<EmailLog & { region: string }>;
  nextCursor: string | null;
  /** False where a region is missing from this page. */
  complete: boolean;
  regions: RegionAnswer[];
}

export interface MergedLog extends Omit<MergedPage, 'emails'>, Pick<OperatorPage, 'limit' | 'stats'> {
  emails: Array<OperatorPage['emails'][number] & { region: string }>;
}

export interface RegionAnswer {
  region: string;
  ok: boolean;
  /** Why it is missing. */
  code?: string;
}

export interface RegionsOptions<Own extends readonly EmailType[] = readonly EmailType[]>
  extends Omit<PostriderOptions<Own>, 'database'> {
  /** A store for each name, as `database` of createPostrider; else as configured. */
  regions?: Readonly<Record<string, DatabaseSource>>;
  /** Defaults to the first. */
  home?: string;
}
