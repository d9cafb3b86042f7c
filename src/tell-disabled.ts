import type { Access } from './access/index.js';
import type { DisabledEndpoint } from './events/index.js';
import { isPostriderError, type Logger } from './kernel/index.js';
import type { Queryable } from './store/index.js';

/**
 * What follows when an endpoint is turned off because nothing reaches it: a line in the audit log, and an email of
 * Postrider's own to the company's contact and the admins, each alone. Both in the transaction that turns it off, so
 * there is one notice each time and never one for nothing; of more than twenty an hour the log alone tells. The emails
 * are the default company's; what becomes of them is told to endpoints that are on, and turns none off that did not
 * fail by itself.
 */
export interface TellDisabledParts {
  access: Pick<Access, 'audit' | 'notices'>;
  /** Whether the accounts are in the store at hand; else they are asked and the log is written over there. */
  atHome: boolean;
  /** Accepts an email in the transaction at hand. */
  send(email: object, tx: Queryable): Promise<unknown>;
  logger: Logger;
}

export type TellDisabled = (endpoint: DisabledEndpoint, tx: Queryable) => Promise<void>;

export function createTellDisabled({ access, atHome, send, logger }: TellDisabledParts): TellDisabled {
  return async (endpoint, tx) => {
    const { endpointId, tenant, reason } = endpoint;
    const own = atHome ? tx : undefined;
    const recipients = await access.notices.recipients(tenant, ACTION, own);
    let told = 0;
    for (const to of recipients) {
      try {
        await send({ to, ...contentOf(endpoint) }, tx);
        told += 1;
      } catch (error) {
        // No sender yet, or an address that is refused: the endpoint is off all the same.
        if (!isPostriderError(error) || error.status >= 500) throw error;
        logger.warn({ endpointId, code: error.code, field: error.field }, 'a notice could not be sent');
      }
    }
    await access.audit.write(
      POSTRIDER,
      { action: ACTION, target: endpointId, companyId: tenant, detail: { reason, told } },
      own,
    );
  };
}

const ACTION = 'webhook.disable';
const POSTRIDER = { kind: 'library', name: 'postrider' } as const;

function contentOf({ endpointId, tenant, url, reason }: DisabledEndpoint): object {
  const { host, origin, pathname } = new URL(url);
  const text = [
    `A webhook of ${tenant} was turned off: ${reason}.`,
    // Without what stands behind the question mark, where people put secrets.
    `Address: ${origin}${pathname}\nWebhook: ${endpointId}\nCompany: ${tenant}`,
    'It is told nothing until it is turned on again: in the dashboard under Webhooks, with PATCH /v1/webhooks/' +
      `${endpointId} and { "status": "enabled" }, or with postrider webhooks enable ${endpointId}. ` +
      'What it was owed waits, and is sent then.',
  ].join('\n\n');
  return { subject: `Webhook turned off: ${host}`, text, type: 'webhook_disabled', priority: 2 };
}
