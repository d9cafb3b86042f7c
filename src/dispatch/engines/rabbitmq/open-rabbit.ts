import { type Connection, openRawConnection } from '../../../amqp/index.js';
import { messageOf, PostriderError } from '../../../kernel/index.js';

/**
 * One connection to the broker, which comes back by itself whenever it is lost. The client is an optional
 * package, loaded when it is needed.
 */
export interface RabbitAddress {
  url: string;
  /** More nodes of the cluster, as host:port. */
  hosts: readonly string[];
}

export async function openRabbit(address: RabbitAddress, purpose: string): Promise<Connection> {
  return openRawConnection({
    url: address.url,
    ...(address.hosts.length > 0 && { hosts: [hostOf(address.url), ...address.hosts] }),
    connectionName: `postrider ${purpose}`,
    noDelay: true,
    heartbeat: 10,
    connectionTimeout: 5000,
    acquireTimeout: 5000,
    retryLow: 200,
    retryHigh: 2000,
  }).catch((error: unknown) => {
    throw new PostriderError(
      'INVALID_CONFIG',
      `The engine rabbitmq needs the package rabbitmq-client (npm install rabbitmq-client@~5.0.8): ${messageOf(error)}`,
      { field: 'POSTRIDER_ENGINE', cause: error },
    );
  });
}

function hostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'amqps:' ? 5671 : 5672)}`;
}
