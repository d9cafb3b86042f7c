import { type Settings, setting } from '../kernel/index.js';
import { isServiceName, SERVICE_NAME_FORM } from './bus/bus-names.js';
import { BUS_EVENTS } from './webhook-events.js';

/** How applications are told what became of their emails. */
export const eventSettings = {
  webhooks: {
    allowPrivate: setting.boolean({
      env: ['POSTRIDER_WEBHOOK_ALLOW_PRIVATE'],
      default: false,
      says: 'Whether webhooks may go to private and loopback addresses and over plain HTTP; only where every tenant is trusted with the network.',
    }),
    timeoutMs: setting.duration({
      env: ['POSTRIDER_WEBHOOK_TIMEOUT'],
      plainUnit: 's',
      default: 15_000,
      min: 1000,
      max: 60_000,
      says: 'How long a webhook may take from connecting to the end of its answer.',
    }),
    concurrency: setting.integer({
      env: ['POSTRIDER_WEBHOOK_CONCURRENCY'],
      default: 5,
      min: 1,
      max: 100,
      says: 'How many requests one endpoint gets at once, from all processes together.',
    }),
    disableAfterMs: setting.duration({
      env: ['POSTRIDER_WEBHOOK_DISABLE_AFTER'],
      plainUnit: 's',
      default: 5 * 24 * 3_600_000,
      min: 60_000,
      max: 30 * 24 * 3_600_000,
      says: 'An endpoint that nothing reached for so long is disabled.',
    }),
    keepDays: setting.integer({
      env: ['POSTRIDER_WEBHOOK_KEEP_DAYS'],
      default: 30,
      min: 1,
      max: 365,
      says: 'How many days deliveries are kept for looking and replaying.',
    }),
  },
  bus: {
    url: setting.url({
      env: ['POSTRIDER_BUS_URL'],
      default: null,
      schemes: ['amqp', 'amqps'],
      says: 'The RabbitMQ that carries events between services; without it there is no bus. See BUS.md.',
    }),
    service: setting.text({
      env: ['POSTRIDER_BUS_SERVICE'],
      default: 'postrider',
      form: `a name that ${SERVICE_NAME_FORM}`,
      fits: isServiceName,
      says: 'What this installation is called on the bus; what stands before the first hyphen says whose events it shares, `default` without one.',
    }),
    publish: setting.boolean({
      env: ['POSTRIDER_BUS_PUBLISH'],
      default: true,
      says: 'Whether events of emails are published on the bus.',
    }),
    events: setting.list(BUS_EVENTS, {
      env: ['POSTRIDER_BUS_EVENTS'],
      default: BUS_EVENTS,
      says: 'Which of them.',
    }),
    prefetch: setting.integer({
      env: ['POSTRIDER_BUS_PREFETCH'],
      default: 10,
      min: 1,
      max: 1000,
      says: 'How many events of others a process handles at once.',
    }),
    maxRetries: setting.integer({
      env: ['POSTRIDER_BUS_MAX_RETRIES'],
      default: 10,
      min: 0,
      max: 1000,
      says: 'How often an event that failed is tried again before it lies in the dead-letter queue.',
    }),
    retryDelayMs: setting.duration({
      env: ['POSTRIDER_BUS_RETRY_DELAY'],
      plainUnit: 's',
      default: 5000,
      min: 50,
      max: 86_400_000,
      says: 'The wait before each try; fixed when the queues are first made.',
    }),
    timeoutMs: setting.duration({
      env: ['POSTRIDER_BUS_TIMEOUT'],
      plainUnit: 's',
      default: 5000,
      min: 500,
      max: 60_000,
      says: 'How long the broker may take to answer.',
    }),
    keepDays: setting.integer({
      env: ['POSTRIDER_BUS_KEEP_DAYS'],
      default: 30,
      min: 1,
      max: 365,
      says: 'How many days events wait for a broker that is away, and for how many an event of another service is recognised.',
    }),
  },
} satisfies Settings;
