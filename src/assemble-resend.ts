import { randomBytes } from 'node:crypto';
import { type Access, createDomains, resolveTxt } from './access/index.js';
import type { AssembledSuppression } from './assemble-suppression.js';
import type { Config } from './config.js';
import { createAttachmentLinks } from './doors/http/resend/attachment-links.js';
import type { ResendRooms } from './doors/http/resend/resend-rooms.js';
import type { Webhooks } from './events/index.js';
import { fetchPublicFile } from './fetch-public-file.js';
import type { Intake } from './intake/index.js';
import type { Clock } from './kernel/index.js';
import { cancelEmail, rescheduleEmail } from './outbox/index.js';
import {
  createContactProperties,
  createContacts,
  createSegments,
  createTopics,
  type Recipients,
} from './recipients/index.js';
import { createStoredTemplates } from './render/index.js';
import { createBroadcasts } from './schedules/index.js';
import type { Database } from './store/index.js';
import {
  countEmailMetrics,
  findAttachment,
  findAttachments,
  findEnvelope,
  findStoredEmail,
  listClickedLinks,
  listEnvelopes,
  listReached,
  readUsage,
} from './views/index.js';

/** What the Resend door calls, put together for one process. */
export interface ResendParts {
  database: () => Promise<Database>;
  /** Where the tenants are. */
  tenants: () => Promise<Database>;
  intake: () => Promise<Intake>;
  access: Access;
  recipients: Recipients;
  webhooks: Webhooks;
  /** There is a broadcast to carry out. */
  ring(): void;
  suppression: Pick<AssembledSuppression, 'entries' | 'hashKey' | 'reader'>;
  clock: Clock;
  /** That of emails which name no sender; empty where there is none. */
  usualDomain: string;
}

export function assembleResend(config: Config, parts: ResendParts): ResendRooms {
  const { database, intake, clock, suppression } = parts;
  const segments = createSegments(database);
  const topics = createTopics(database);
  const prompt = async () => (await database()).prompt();
  return {
    defaultCompany: config.email.defaultCompany,
    requestsPerSecond: config.http.resendRequestsPerSecond,
    links: createAttachmentLinks({
      keys: linkKeys(config),
      clock,
      isDisabled: parts.access.tenants.isDisabled,
    }),
    publicUrl: config.unsubscribe.publicUrl,
    suppressions: suppression.entries,
    contacts: createContacts({
      ...{ database, recipients: parts.recipients },
      ...{ hashKey: suppression.hashKey, onChange: suppression.reader.forget },
    }),
    segments,
    topics,
    contactProperties: createContactProperties(database),
    webhooks: parts.webhooks,
    fetchFile: fetchPublicFile({
      allowPrivate: config.webhooks.allowPrivate,
      maxBytes: config.email.maxAttachmentBytes,
    }),
    broadcasts: createBroadcasts({ database, segments, topics, ring: parts.ring }),
    keys: parts.access.keys,
    domains: createDomains({
      ...{ database: parts.tenants, strict: config.access.strictSenders, resolveTxt },
      region: config.database.region ?? 'us-east-1',
    }),
    templates: createStoredTemplates(database),
    emails: {
      accept: async (input, options) => (await intake()).accept(input, options),
      acceptBatch: async (inputs, options) => (await intake()).acceptBatch(inputs, options),
      acceptPermissively: async (inputs, options) => (await intake()).acceptPermissively(inputs, options),
      find: async (companyId, id, hold) => findEnvelope(await prompt(), companyId, id, hold),
      shown: async (tenant, id, hold) => findStoredEmail(await prompt(), id, { part: 'shown', tenant, hold }),
      async files(tenant, id) {
        const found = await findAttachments(await prompt(), id, { tenant });
        return found && (found.sensitive ? [] : (found.attachments ?? []));
      },
      async file(tenant, id, index, hold) {
        const found = await findAttachment(await prompt(), id, index, { tenant, hold });
        return found?.sensitive ? null : found;
      },
      list: async (companyId, page) => listEnvelopes(await prompt(), companyId, page),
      count: async (tenant, query) =>
        countEmailMetrics(await prompt(), { ...query, tenant, usualDomain: parts.usualDomain }),
      reached: async (tenant, query) => listReached(await prompt(), { ...query, tenant }),
      usage: async (tenant) => readUsage(await prompt(), tenant),
      clickedLinks: async (tenant, broadcastId) => listClickedLinks(await prompt(), { tenant, broadcastId }),
      reschedule: async (tenant, id, at) => rescheduleEmail(await prompt(), id, new Date(at), { tenant }),
      cancel: async (tenant, id) => cancelEmail(await prompt(), id, { tenant }),
    },
  };
}

/** Without keys of the settings links hold as long as the process, and only here. */
function linkKeys({ unsubscribe }: Config): string[] {
  return unsubscribe.keys?.split(',').map((key) => key.trim()) ?? [randomBytes(32).toString('hex')];
}
