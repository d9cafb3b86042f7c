import { invalidPayload, isUuid, PostriderError, parseMoment, readFields } from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';
import { changeListening } from './change-listening.js';
import {
  type DeliveryAttempt,
  listAttempts,
  listDeliveries,
  replayDeliveries,
  type WebhookDelivery,
} from './delivery-rows.js';
import {
  DELIVERY_PAGE_FIELDS,
  type EndpointChange,
  type EndpointInput,
  parseCompany,
  parseEndpointUrl,
  REPLAY_FIELDS,
  ROTATE_FIELDS,
  WEBHOOK_INPUTS,
  type WebhookEndpoint,
} from './endpoint.js';
import {
  deleteEndpoint,
  insertEndpoint,
  keepOldSecret,
  readEndpoints,
  updateEndpoint,
} from './endpoint-rows.js';
import { WEBHOOK_EVENTS } from './webhook-events.js';
import { newSecret, oldSecretName, secretName, type WebhookSecrets } from './webhook-secrets.js';

/**
 * Where tenants are told what became of their emails. With `companyId` only that company's endpoints exist; without it
 * everyone's do, and a new one is the default company's.
 */
export interface Webhooks {
  /** The secret is in this answer and in those of `secret` and `rotate`. */
  create(endpoint: EndpointInput): Promise<WebhookEndpoint & { secret: string }>;
  list(options?: Scope): Promise<WebhookEndpoint[]>;
  get(id: string, options?: Scope): Promise<WebhookEndpoint>;
  secret(id: string, options?: Scope): Promise<string>;
  change(id: string, change: EndpointChange, options?: Scope): Promise<WebhookEndpoint>;
  remove(id: string, options?: Scope): Promise<void>;
  /** The old secret goes on signing beside the new one for `overlapHours`, 24 by default. */
  rotate(id: string, options?: Scope & { overlapHours?: number }): Promise<{ secret: string }>;
  /** The newest first. */
  deliveries(id: string, options?: Scope & DeliveryPageOptions): Promise<DeliveryPage>;
  delivery(id: string, deliveryId: string, options?: Scope): Promise<DeliveryDetail>;
  /** Again from the first try, with the same webhook-id: one delivery, or all of a range. */
  replay(id: string, which: ReplayRange, options?: Scope): Promise<{ replayed: number }>;
}

export interface Scope {
  companyId?: string | undefined;
}

export interface DeliveryPageOptions {
  limit?: number;
  cursor?: string;
  status?: string;
}

/** With the body as it is sent and every request that was made. */
export type DeliveryDetail = WebhookDelivery & {
  payload: Record<string, unknown>;
  requests: DeliveryAttempt[];
};

export interface DeliveryPage {
  deliveries: WebhookDelivery[];
  nextCursor: string | null;
}

export interface ReplayRange {
  deliveryId?: string;
  /** From then on; ISO 8601 with an offset, or a day in UTC. */
  since?: string | Date;
  /** A day includes all of it. */
  until?: string | Date;
  /** `failed` by default in a range; `all` also repeats what got through. */
  status?: 'failed' | 'success' | 'pending' | 'all';
}

export interface WebhooksParts {
  database: () => Promise<Database>;
  defaultTenant: string;
  allowPrivate: boolean;
  secrets: WebhookSecrets;
  complete(payload: Record<string, unknown>): Record<string, unknown>;
}

export function createWebhooks(parts: WebhooksParts): Webhooks {
  const { allowPrivate, secrets } = parts;
  const store = async (): Promise<Queryable> => (await parts.database()).prompt();
  const scope = (id: string, { companyId }: Scope) => {
    const tenant = parseCompany(companyId);
    if (!isUuid(id)) throw notFound();
    return { tenant, id };
  };
  async function known(id: string, options: Scope): Promise<WebhookEndpoint> {
    const [endpoint] = await readEndpoints(await store(), scope(id, options));
    if (!endpoint) throw notFound();
    return endpoint;
  }

  return {
    async create(input) {
      const { companyId, url, events, description } = WEBHOOK_INPUTS.endpoint.read(input, '');
      const secret = newSecret();
      const endpoint = {
        tenant: companyId ?? parts.defaultTenant,
        url: parseEndpointUrl(url, allowPrivate),
        events: events ?? [...WEBHOOK_EVENTS],
        description: description ?? null,
      };
      const database = (await parts.database()).prompt();
      // The store's first endpoint makes the ledger tell. Not in the transaction: what is in the way is waited for.
      await changeListening(database, 'select postrider.listen_for_webhooks()');
      return database.transaction(async (tx) => {
        const made = await insertEndpoint(tx, endpoint, MAX_ENDPOINTS);
        if (!made) throw invalidPayload('url', `is one too many: a company has ${MAX_ENDPOINTS} at most`);
        await secrets.put(secretName(made.id), secret, tx);
        return { ...made, secret };
      });
    },
    list: async ({ companyId } = {}) => readEndpoints(await store(), { tenant: parseCompany(companyId) }),
    get: (id, options = {}) => known(id, options),
    async secret(id, options = {}) {
      const secret = await secrets.get(secretName((await known(id, options)).id));
      if (secret === null) throw notFound();
      return secret;
    },
    async change(id, change, options = {}) {
      const which = scope(id, options);
      const { url, status, ...given } = WEBHOOK_INPUTS.change.read(change, '');
      const changed = await updateEndpoint(await store(), which, {
        ...given,
        ...(url !== undefined && { url: parseEndpointUrl(url, allowPrivate) }),
        ...(status !== undefined && { disabled: status === 'disabled' }),
      });
      if (!changed) throw notFound();
      return changed;
    },
    async remove(id, options = {}) {
      if (!(await deleteEndpoint(await store(), scope(id, options)))) throw notFound();
      for (const name of [secretName(id), oldSecretName(id)]) await secrets.remove(name);
    },
    async rotate(id, { overlapHours = 24, ...options } = {}) {
      ROTATE_FIELDS.overlapHours.read(overlapHours, 'overlapHours');
      const which = scope(id, options);
      const before = await secrets.get(secretName((await known(id, options)).id));
      const secret = newSecret();
      await (await parts.database()).prompt().transaction(async (tx) => {
        if (!(await keepOldSecret(tx, which, overlapHours * 3_600_000))) throw notFound();
        if (before !== null) await secrets.put(oldSecretName(id), before, tx);
        await secrets.put(secretName(id), secret, tx);
      });
      return { secret };
    },
    async deliveries(id, { limit = 50, cursor, status, ...options } = {}) {
      const page = {
        limit: DELIVERY_PAGE_FIELDS.limit.read(limit, 'limit')! + 1,
        before: DELIVERY_PAGE_FIELDS.cursor.read(cursor, 'cursor'),
        status: DELIVERY_PAGE_FIELDS.status.read(status, 'status'),
      };
      const { companyId, id: endpointId } = await known(id, options);
      const rows = await listDeliveries(await store(), { tenant: companyId, endpointId }, page);
      const deliveries = rows.slice(0, limit).map(({ payload: _, ...delivery }) => delivery);
      return { deliveries, nextCursor: rows.length > limit ? deliveries.at(-1)!.id : null };
    },
    async delivery(id, deliveryId, options = {}) {
      const { companyId, id: endpointId } = await known(id, options);
      const database = await store();
      const [found] = isUuid(deliveryId)
        ? await listDeliveries(
            database,
            { tenant: companyId, endpointId },
            { limit: 1, before: null, status: null, id: deliveryId },
          )
        : [];
      if (!found) throw deliveryNotFound();
      return {
        ...found,
        payload: parts.complete(found.payload),
        requests: await listAttempts(database, found.id),
      };
    },
    async replay(id, which, options = {}) {
      const fields = readFields(which, '', ['deliveryId', ...Object.keys(REPLAY_FIELDS)]);
      const one = fields.deliveryId !== undefined;
      if (one && !isUuid(fields.deliveryId)) throw deliveryNotFound();
      const since = fields.since === undefined ? null : parseMoment(fields.since, 'since');
      const until = fields.until === undefined ? null : parseMoment(fields.until, 'until', { end: true });
      if (!one && since === null) throw invalidPayload('since', 'says from when on; or name a deliveryId');
      const status = REPLAY_FIELDS.status.read(fields.status, 'status');
      const only = status ?? (one ? 'all' : 'failed');
      const { companyId, id: endpointId } = await known(id, options);
      const replayed = await replayDeliveries(
        await store(),
        { tenant: companyId, endpointId },
        {
          ...(one && { id: fields.deliveryId as string }),
          ...{
            since,
            until,
            status: only === 'all' ? null : only,
          },
        },
      );
      if (one && replayed === 0) throw deliveryNotFound();
      return { replayed };
    },
  };
}

const MAX_ENDPOINTS = 50;

function notFound(): PostriderError {
  return new PostriderError('WEBHOOK_NOT_FOUND', 'There is no such webhook.', { field: 'id' });
}

function deliveryNotFound(): PostriderError {
  return new PostriderError('WEBHOOK_DELIVERY_NOT_FOUND', 'There is no such delivery, or it is under way.', {
    field: 'deliveryId',
  });
}
