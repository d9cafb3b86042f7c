import { type BrokerDeadLetters, createBrokerDeadLetters } from './broker-dead-letters.js';
import type { Config } from './config.js';
import type { DeadLetters } from './dead-letters.js';
import type { ReceiveForeign } from './dispatch/index.js';
import { createAmqpDoor } from './doors/amqp/index.js';
import type { Intake } from './intake/index.js';
import type { Logger } from './kernel/index.js';

/** What comes in through RabbitMQ, and what stays there: the amqp door and the broker's dead letters. */
export function assembleAmqp(
  config: Config,
  rooms: { intake(): Promise<Intake>; deadLetters: DeadLetters; logger: Logger },
): { receiveForeign: ReceiveForeign; brokerDeadLetters: BrokerDeadLetters } {
  const { deadLetters, logger } = rooms;
  return {
    brokerDeadLetters: createBrokerDeadLetters(config, deadLetters),
    receiveForeign: createAmqpDoor({
      accept: async (email, options) => (await rooms.intake()).accept(email, options),
      async retry(emailId) {
        const report = await deadLetters.retry({ emailIds: [emailId] }, { by: 'rabbitmq' });
        return report.retried > 0 ? null : (report.examples[0]?.reason ?? 'not-found');
      },
      maxBytes: config.http.bodyLimitBytes,
      logger,
    }),
  };
}
