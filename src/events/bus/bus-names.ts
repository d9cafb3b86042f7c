import { PostriderError } from '../../kernel/index.js';

/**
 * What the exchanges and queues of a service are called. The prefix is the part of the service's name before its first
 * hyphen, and services of one prefix share one stream of events; a name without a hyphen stands under `default`.
 */
export interface BusNames {
  prefix: string;
  /** Fan-out to every service of the prefix. */
  mainExchange: string;
  queue: string;
  retryExchange: string;
  retryQueue: string;
  /** Where events wait that are due later. */
  delayQueue: string;
  deadLetterQueue: string;
}

export function busNames(service: string): BusNames {
  if (!isServiceName(service))
    throw new PostriderError('INVALID_CONFIG', `service ${SERVICE_NAME_FORM}.`, { field: 'service' });
  const prefix = prefixOf(service);
  return {
    prefix,
    mainExchange: `${prefix}.main-exchange`,
    queue: `${prefix}.queue.${service}`,
    retryExchange: `${prefix}.retry-exchange.${service}`,
    retryQueue: `${prefix}.retry-queue.${service}`,
    delayQueue: `${prefix}.delay-queue.${service}`,
    deadLetterQueue: `${prefix}.dlq.${service}`,
  };
}

/** Brokers keep what begins with `amq.` for themselves, and names of 255 bytes are the longest they take. */
export function isServiceName(service: unknown): service is string {
  return typeof service === 'string' && FORM.test(service) && prefixOf(service) !== 'amq';
}

export const SERVICE_NAME_FORM =
  'must be 1 to 100 letters, digits, dots, underscores and hyphens, beginning with a letter or digit and not with `amq-`';

const FORM = /^[a-z0-9][a-z0-9._-]{0,99}$/i;

function prefixOf(service: string): string {
  const hyphen = service.indexOf('-');
  return hyphen === -1 ? 'default' : service.slice(0, hyphen);
}
