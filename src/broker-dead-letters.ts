import type { Config } from './config.js';
import type { DeadLetters } from './dead-letters.js';
import { type BrokerDeadLetter, createDeadLetterDesk, type DeadLetterFate } from './dispatch/index.js';
import { PostriderError, refuseUnknownKeys } from './kernel/index.js';
import { readLimit, readWhich, type WhichLetters } from './which-letters.js';

/**
 * What stands in the broker's dead-letter queue: mirrors of emails that failed for good, whose truth is in the
 * ledger, and messages of other services that were refused. A mirror that is put back gives its email another
 * round in the ledger; a message of another service goes through the exchange again.
 */
export interface BrokerDeadLetters {
  /** The oldest first; without their bodies. */
  list(options?: { limit?: number }): Promise<{ total: number; messages: BrokerDeadLetter[] }>;
  requeue(which: WhichLetters, options?: RequeueOptions): Promise<RequeueReport>;
  purge(which: WhichLetters): Promise<{ purged: number; notFound: string[] }>;
}

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
      const limit = readLimit(options);
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
