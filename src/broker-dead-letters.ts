import type { Config } from './config.js';
import type { DeadLetters } from './dead-letters.js';
import { type BrokerDeadLetter, createDeadLetterDesk, type DeadLetterFate } from './dispatch/index.js';
import { PostriderError, refuseUnknownKeys } from './kernel/index.js';

/**
 * What stands in the broker's dead-letter queue: mirrors of emails that failed for good, whose truth is in the
 * ledger, and messages of other services that were refused. A mirror that is put back gives its email another
 * round in the ledger; a message of another service goes through the exchange again.
 */
export interface BrokerDeadLetters {
  /** The oldest first; without their bodies. */
  list(options?: { limit?: number }): Promise<{ total: number; messages: BrokerDeadLetter[] }>;
  requeue(which: BrokerWhich, options?: RequeueOptions): Promise<RequeueReport>;
  purge(which: BrokerWhich): Promise<{ purged: number; notFound: string[] }>;
}

/** All of it has to be said. */
export type BrokerWhich = { messageIds: readonly string[] } | { all: true };

export interface RequeueOptions {
  by?: string;
  /** Also emails that may have been delivered already. */
  acceptDuplicates?: boolean;
}

export interface RequeueReport {
  requeued: number;
  /** These stay where they are. */
  refused: Array<{ messageId: string; reason: string }>;
  notFound: string[];
}

const MOST_IDS = 1000;
const USUAL_LIMIT = 50;

export function createBrokerDeadLetters(
  { rabbitmq }: Pick<Config, 'rabbitmq'>,
  deadLetters: Pick<DeadLetters, 'retry'>,
): BrokerDeadLetters {
  function desk() {
    if (rabbitmq.url !== null)
      return createDeadLetterDesk({ url: rabbitmq.url, hosts: rabbitmq.hosts ?? [] });
    throw new PostriderError('BROKER_NOT_FOUND', 'There is no broker: RABBITMQ_URL is not set.', {
      field: 'RABBITMQ_URL',
    });
  }

  /** Why an email gets no other round; null when it does. */
  async function refusalOf(emailId: string, options: RequeueOptions): Promise<string | null> {
    const report = await deadLetters.retry({ emailIds: [emailId] }, options);
    return report.retried > 0 ? null : (report.examples[0]?.reason ?? 'not-found');
  }

  return {
    async list(options = {}) {
      refuseUnknownKeys(options, ['limit'], 'INVALID_PAYLOAD');
      const { limit = USUAL_LIMIT } = options;
      if (!Number.isInteger(limit) || limit < 1 || limit > MOST_IDS)
        throw refused('limit', `must be a whole number from 1 to ${MOST_IDS}`);
      return desk().list(limit);
    },
    async requeue(which, options = {}) {
      refuseUnknownKeys(options, ['by', 'acceptDuplicates'], 'INVALID_PAYLOAD');
      const wanted = readWhich(which);
      const report: RequeueReport = { requeued: 0, refused: [], notFound: [] };
      await desk().sort(async ({ messageId, emailId }): Promise<DeadLetterFate> => {
        if (!wanted.has(messageId)) return 'keep';
        const reason = emailId === null ? null : await refusalOf(emailId, options);
        if (reason !== null) {
          report.refused.push({ messageId, reason });
          return 'keep';
        }
        report.requeued += 1;
        return emailId === null ? 'back' : 'remove';
      });
      return { ...report, notFound: wanted.unseen() };
    },
    async purge(which) {
      const wanted = readWhich(which);
      if ('all' in which) return { purged: await desk().purge(), notFound: [] };
      let purged = 0;
      await desk().sort(async ({ messageId }) => {
        if (!wanted.has(messageId)) return 'keep';
        purged += 1;
        return 'remove';
      });
      return { purged, notFound: wanted.unseen() };
    },
  };
}

function readWhich(which: BrokerWhich) {
  if (typeof which !== 'object' || which === null || 'messageIds' in which === 'all' in which)
    throw refused('messageIds', 'or all must say which messages are meant, one of the two');
  refuseUnknownKeys(which, ['messageIds', 'all'], 'INVALID_PAYLOAD');
  if ('all' in which) {
    if (which.all !== true) throw refused('all', 'must be true');
    return { has: () => true, unseen: () => [] };
  }
  const { messageIds } = which;
  if (!Array.isArray(messageIds) || messageIds.length === 0 || messageIds.length > MOST_IDS)
    throw refused('messageIds', `must be a list of 1 to ${MOST_IDS} ids`);
  const wrong = messageIds.findIndex((id) => typeof id !== 'string' || id === '' || id.length > 255);
  if (wrong !== -1) throw refused(`messageIds[${wrong}]`, 'is no id of a message');
  const ids = new Set<string>(messageIds);
  const seen = new Set<string>();
  return {
    has(messageId: string) {
      if (!ids.has(messageId)) return false;
      seen.add(messageId);
      return true;
    },
    unseen: () => [...ids].filter((messageId) => !seen.has(messageId)),
  };
}

function refused(field: string, what: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} ${what}.`, { field });
}
