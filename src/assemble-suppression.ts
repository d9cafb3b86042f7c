import type { Config } from './config.js';
import type { UnsubscribeRoom } from './doors/http/unsubscribe-room.js';
import type { UnsubscribeUrl } from './intake/index.js';
import { addressHashKey, type Clock } from './kernel/index.js';
import {
  findAddressee,
  findOwnEmails,
  noteUnsubscribed,
  type OpenedEmail,
  recipientsOf,
} from './outbox/index.js';
import {
  createSuppressionEntries,
  createSuppressionReader,
  createSuppressions,
  createUnsubscribeLinks,
  findSuppressed,
  isRefusable,
  readSubscriptions,
  resubscribe,
  type Suppressed,
  type SuppressionEntries,
  type SuppressionReader,
  type Suppressions,
  type UnsubscribeLink,
  unsubscribe,
} from './recipients/index.js';
import type { Database, Queryable } from './store/index.js';

/** Who must not be written to and how people say so, put together for one process. */
export interface AssembledSuppression {
  suppressions: Suppressions;
  /** The same with an id each. */
  entries: SuppressionEntries;
  /** What addresses are hashed with. */
  hashKey: string;
  /** What intake asks. */
  reader: SuppressionReader;
  /** null without an address people can reach. */
  unsubscribeUrl: UnsubscribeUrl | null;
  /** What the page behind the links calls. */
  page: UnsubscribeRoom | null;
}

export function assembleSuppression(
  config: Config,
  { database, clock, region }: { database: () => Promise<Database>; clock: Clock; region: string | null },
): AssembledSuppression {
  const hashKey = addressHashKey(config.limits.hashKey);
  const reader = createSuppressionReader({ clock, hashKey });
  const { publicUrl, keys } = config.unsubscribe;
  const links =
    publicUrl === null || keys === null
      ? null
      : createUnsubscribeLinks({
          publicUrl,
          keys: keys.split(',').map((key) => key.trim()),
          hashKey,
          region,
        });
  return {
    suppressions: createSuppressions({
      database,
      hashKey,
      defaultTenant: config.email.defaultCompany,
      findOwnEmails,
      onChange: reader.forget,
    }),
    entries: createSuppressionEntries({ database, hashKey, onChange: reader.forget }),
    hashKey,
    reader,
    unsubscribeUrl: links && ((email) => links.url(email)),
    page: links && {
      async show(token) {
        const link = links.read(token);
        if (link === null) return null;
        const store = (await database()).prompt();
        return {
          category: link.category,
          ...(await readSubscriptions(store, link, await addressOf(store, link))),
        };
      },
      change: async (token, wish) => {
        const link = links.read(token);
        if (link === null) return false;
        await (await database()).transaction(async (tx) => {
          const address = await addressOf(tx, link);
          for (const category of wish.refuse) {
            // A second click on the same link is the same wish.
            if (!(await unsubscribe(tx, link, { category, address }))) continue;
            await noteUnsubscribed(tx, link, { category, by: wish.by });
          }
          for (const category of wish.want) await resubscribe(tx, link, { category, address });
        });
        reader.forget();
        return true;
      },
    },
  };
}

/**
 * For the worker: in one query for all that were opened together, and none while nobody is suppressed. That is asked by the
 * statement that opens them (`ANY_SUPPRESSED`) and never remembered: it runs after the emails were accepted, so that it sees
 * every suppression committed before, whoever wrote it, and costs no query of its own.
 */
export function createSuppressedFinder(
  config: Config,
  database: Queryable,
): (emails: readonly OpenedEmail[]) => Promise<Map<string, Suppressed[]>> {
  const hashKey = addressHashKey(config.limits.hashKey);
  return async (emails) => {
    const asked = emails.map(({ id, tenant, message, remaining }) => ({
      id,
      tenant,
      addresses: remaining ?? recipientsOf(message).map(({ address }) => address),
      category: message.category ?? null,
      essential: message.essential ?? false,
    }));
    const needed = emails.some(({ anySuppressed }) => anySuppressed) || asked.some(isRefusable);
    return needed ? findSuppressed(database, hashKey, asked) : new Map();
  };
}

/** While the email is kept its address is known; afterwards the hash alone does. */
function addressOf(database: Queryable, { emailId, tenant }: UnsubscribeLink): Promise<string | null> {
  return findAddressee(database, { emailId, tenant });
}
