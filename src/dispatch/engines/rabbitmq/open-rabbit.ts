import type { Connection } from 'rabbitmq-client';
import { PostriderError } from '../../../kernel/index.js';

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
  const { Connection } = await loadClient();
  return new Connection({
    url: address.url,
    ...(address.hosts.length > 0 && { hosts: [hostOf(address.url), ...address.hosts] }),
    connectionName: `postrider ${purpose}`,
    noDelay: true,
    heartbeat: 10,
    // As large as a broker takes by default: headers of a message must fit into one frame, whoever wrote them.
    frameMax: 131_072,
    connectionTimeout: 5000,
    acquireTimeout: 5000,
    retryLow: 200,
    retryHigh: 2000,
  });
}

async function loadClient() {
  try {
    return await import('rabbitmq-client');
  } catch (error) {
    throw new PostriderError(
      'INVALID_CONFIG',
      'The engine rabbitmq needs the package rabbitmq-client: npm install rabbitmq-client.',
      { field: 'POSTRIDER_ENGINE', cause: error },
    );
  }
}

function hostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'amqps:' ? 5671 : 5672)}`;
}
