import { hasFunction, isThing, type TransactionState, unsupported } from './caller-queries.js';

/**
 * What a pg client knows of its transaction, without asking the server: the state that came with the last answer. It
 * is the present state only while nothing is under way, and versions of pg before 8.20 do not keep it.
 */
export function pgState(client: unknown): TransactionState {
  if (!isThing(client) || !isPgClient(client)) return 'unknown';
  if (client._ending === true || client._ended === true)
    throw unsupported('tx is a client that has been ended: pass one with an open transaction.');
  if (client._connected === false && client._connecting === false)
    throw unsupported('tx is a client that has not been connected: connect it and say begin.');
  if (!hasFunction(client, 'getTransactionStatus') || !isIdle(client)) return 'unknown';
  const status = (client as unknown as { getTransactionStatus(): unknown }).getTransactionStatus();
  return STATES.get(status) ?? 'unknown';
}

const STATES = new Map<unknown, TransactionState>([
  ['I', 'none'],
  ['T', 'open'],
  ['E', 'aborted'],
]);

function isPgClient(thing: Record<string, unknown>): boolean {
  return typeof thing._connected === 'boolean' && typeof thing._ending === 'boolean';
}

function isIdle(client: Record<string, unknown>): boolean {
  return client.readyForQuery === true && isEmpty(client._queryQueue) && isEmpty(client._sentQueryQueue);
}

function isEmpty(queue: unknown): boolean {
  return queue === undefined || (Array.isArray(queue) && queue.length === 0);
}
