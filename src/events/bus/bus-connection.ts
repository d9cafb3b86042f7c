import { createRequire } from 'node:module';
import { type Connection, openRawConnection } from '../../amqp/index.js';
import { type Logger, messageOf, PostriderError } from '../../kernel/index.js';

/**
 * The connection to the broker: comes back by itself after an outage. The client is an optional peer, loaded with the
 * first connection. Throws INVALID_CONFIG where it is missing and BUS_UNAVAILABLE where no broker answers in time.
 */
export interface BusConnectionOptions {
  url: string;
  /** Shown by the broker beside the connection. */
  name: string;
  logger: Logger;
  timeoutMs: number;
}

export async function connectBus({
  url,
  name,
  logger,
  timeoutMs,
}: BusConnectionOptions): Promise<Connection> {
  checkClientInstalled();
  const connection = await openRawConnection({
    ...{ url, connectionName: name, noDelay: true, heartbeat: 10 },
    ...{ connectionTimeout: timeoutMs, acquireTimeout: timeoutMs, retryLow: 200, retryHigh: 5000 },
  });
  connection.on('error', (error) =>
    logger.warn({ err: messageOf(error) }, 'the connection to the bus failed'),
  );
  connection.on('connection.blocked', (reason) =>
    logger.warn({ reason }, 'the broker takes no messages for now'),
  );
  connection.on('connection.unblocked', () => logger.info({}, 'the broker takes messages again'));
  try {
    await connection.onConnect(timeoutMs, true);
  } catch (error) {
    connection.unsafeDestroy();
    throw new PostriderError(
      'BUS_UNAVAILABLE',
      `The broker of the bus does not answer: ${reasonOf(error)}.`,
      {
        cause: error,
      },
    );
  }
  return connection;
}

/** Said at start, not at the first event, when it is missing. */
export function checkClientInstalled(
  resolve: (name: string) => string = createRequire(import.meta.url).resolve,
): void {
  try {
    resolve('rabbitmq-client');
  } catch (error) {
    throw new PostriderError(
      'INVALID_CONFIG',
      'The event bus needs the package rabbitmq-client, which is not installed: npm install rabbitmq-client',
      { field: 'bus.url', cause: error },
    );
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return messageOf(cause ?? error);
}
