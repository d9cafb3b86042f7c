import type { Access } from './access/index.js';
import type { Config } from './config.js';
import { createWebhookSender, createWebhooks, type WebhookSender, type Webhooks } from './events/index.js';
import type { Clock, Logger, Mailbox, Randomness } from './kernel/index.js';
import { messageIdOf } from './pipeline/index.js';
import type { Database, Queryable } from './store/index.js';
import { createTellDisabled } from './tell-disabled.js';

/** Webhooks put together for one process: the desk where endpoints are kept, and the sender that runs beside the worker. */
export function assembleWebhooks(
  config: Config,
  parts: {
    database: () => Promise<Database>;
    isHeld(): Promise<boolean>;
    access: Access;
    /** Whether tenants and operators are in the same store. */
    atHome: boolean;
    send(email: object, tx: Queryable): Promise<unknown>;
    sender: Mailbox | null;
    clock: Clock;
    random: Randomness;
    logger: Logger;
  },
): { webhooks: Webhooks; webhookSender: WebhookSender; complete: Complete } {
  const { database, clock, random, logger } = parts;
  const { secrets } = parts.access;
  const complete = (payload: Record<string, unknown>) => completed(payload, parts.sender);
  return {
    complete,
    webhooks: createWebhooks({
      ...{ database, complete, secrets },
      defaultTenant: config.email.defaultCompany,
      allowPrivate: config.webhooks.allowPrivate,
    }),
    webhookSender: createWebhookSender({
      ...{ database, complete, secrets, clock, random, logger },
      ...config.webhooks,
      isHeld: parts.isHeld,
      onDisabled: createTellDisabled(parts),
    }),
  };
}

type Complete = (payload: Record<string, unknown>) => Record<string, unknown>;

/**
 * The event as it is told. An email without a sender of its own goes out under the default one, which the store does
 * not know; tags are an object here, whatever they were given as.
 */
function completed(payload: Record<string, unknown>, sender: Mailbox | null): Record<string, unknown> {
  const { from, tags, ...data } = payload.data as Record<string, unknown>;
  if (typeof data.email_id !== 'string') return payload;
  const own = isMailbox(from) ? from : sender;
  const shownTags = tagsOf(tags);
  return {
    type: payload.type,
    created_at: payload.created_at,
    data: {
      ...data,
      ...(own && { from: shown(own), message_id: messageIdOf(data.email_id, own.address) }),
      ...(shownTags && { tags: shownTags }),
    },
  };
}

/** What somebody wrote into the ledger by hand may be anything. */
function isMailbox(from: unknown): from is Mailbox {
  return typeof (from as Mailbox | null)?.address === 'string';
}

function shown({ address, name }: Mailbox): string {
  return name ? `${name} <${address}>` : address;
}

function tagsOf(tags: unknown): object | null {
  if (!Array.isArray(tags)) return typeof tags === 'object' ? tags : null;
  return Object.fromEntries(tags.map((tag) => [String(tag?.name), String(tag?.value)]));
}
