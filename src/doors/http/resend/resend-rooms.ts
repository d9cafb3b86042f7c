import type { Access, Domains } from '../../../access/index.js';
import type { Webhooks } from '../../../events/index.js';
import type { PermissiveAnswer } from '../../../intake/index.js';
import type {
  ContactProperties,
  Contacts,
  Segments,
  SuppressionEntries,
  Topics,
} from '../../../recipients/index.js';
import type { StoredTemplates } from '../../../render/index.js';
import type { Broadcasts } from '../../../schedules/index.js';
import type {
  AttachmentEntry,
  AttachmentFile,
  ClickedLink,
  EmailContent,
  EmailEnvelope,
  EmailMetricsQuery,
  HoldContent,
  MetricCount,
  ReachedPerson,
  ReachQuery,
  StoredEmail,
  TenantUsage,
} from '../../../views/index.js';
import type { AcceptedEmail } from '../http-rooms.js';
import type { FetchFile } from './attachment-input.js';

/**
 * What the Resend door calls: the rooms behind it as one port. Every call is about one company; of another's things it
 * says that they are not there.
 */
export interface ResendRooms {
  /** Whose things they are for callers who belong to no company: the operator's key, an open loopback. */
  defaultCompany: string;
  /** How many a company may make in this process; 0 for any number. */
  requestsPerSecond: number;
  emails: ResendEmails;
  fetchFile: FetchFile;
  links: AttachmentLinks;
  /** Where the outside reaches this API; null where nobody has said, and the request's own address has to do. */
  publicUrl: string | null;
  suppressions: SuppressionEntries;
  keys: Access['keys'];
  domains: Domains;
  templates: StoredTemplates;
  contacts: Contacts;
  segments: Segments;
  topics: Topics;
  contactProperties: ContactProperties;
  broadcasts: Broadcasts;
  webhooks: Webhooks;
}

export interface ResendEmails {
  accept(input: unknown, options: ResendAcceptOptions): Promise<AcceptedEmail>;
  /** All or none. */
  acceptBatch(inputs: readonly unknown[], options: ResendAcceptOptions): Promise<AcceptedEmail[]>;
  /** Those that can be. */
  acceptPermissively(inputs: readonly unknown[], options: ResendAcceptOptions): Promise<PermissiveAnswer[]>;
  /** Its content without its files. */
  find(companyId: string, id: string, hold?: HoldContent): Promise<(EmailEnvelope & EmailContent) | null>;
  /** What a page shows of it: HTML and the pictures in it. */
  shown(
    companyId: string,
    id: string,
    hold: HoldContent,
  ): Promise<Pick<StoredEmail, 'html' | 'attachments'> | null>;
  /** Without their content; none of a sensitive type. */
  files(companyId: string, id: string): Promise<readonly AttachmentEntry[] | null>;
  file(companyId: string, id: string, index: number, hold: HoldContent): Promise<AttachmentFile | null>;
  list(
    companyId: string,
    page: { limit: number; after: string | null; before: string | null },
  ): Promise<{ emails: EmailEnvelope[]; more: boolean }>;
  count(companyId: string, query: Omit<EmailMetricsQuery, 'tenant' | 'usualDomain'>): Promise<MetricCount[]>;
  reached(
    companyId: string,
    query: Omit<ReachQuery, 'tenant'>,
  ): Promise<{ people: ReachedPerson[]; more: boolean }>;
  usage(companyId: string): Promise<TenantUsage>;
  clickedLinks(companyId: string, broadcastId: string): Promise<ClickedLink[]>;
  reschedule(companyId: string, id: string, at: string): Promise<void>;
  cancel(companyId: string, id: string): Promise<void>;
}

export interface ResendAcceptOptions {
  requestId: string;
  idempotencyKey?: string;
  traceparent?: string;
  /** The body as it came, which is what the key stands for. */
  keyedInput: unknown;
}

/** Links under which a file can be fetched for a while without a key. */
export interface AttachmentLinks {
  sign(file: LinkedFile): string;
  /** Null where the signature is not ours, its time is over or its tenant is disabled. */
  read(token: string): Promise<LinkedFile | null>;
}

export interface LinkedFile {
  companyId: string;
  emailId: string;
  attachmentId: string;
  expiresAt: number;
}
