import { type SettingRule, type Settings, setting } from '../kernel/index.js';
import { redisSettings } from './engines/bullmq/settings.js';
import { rabbitSettings } from './engines/rabbitmq/settings.js';

/** How a worker gets its next emails. */
export const dispatchSettings = {
  ...rabbitSettings,
  ...redisSettings,
  worker: {
    enabled: setting.boolean({
      env: ['EMAIL_WORKER_ENABLED'],
      default: true,
      says: 'Whether a process that is not told its roles also delivers.',
    }),
    batchSize: setting.integer({
      env: ['EMAIL_WORKER_BATCH_SIZE', 'EMAIL_QUEUE_BATCH_SIZE'],
      default: 600,
      min: 1,
      max: 1000,
      says: 'How many emails one claim takes at most; the embedded database takes no more than 50.',
    }),
    pollIntervalMs: setting.duration({
      env: ['EMAIL_WORKER_POLL_INTERVAL', { name: 'EMAIL_QUEUE_INTERVAL_SECONDS', plainUnit: 's' }],
      default: 5000,
      min: 50,
      max: 3_600_000,
      plainUnit: 's',
      says: 'How long a worker waits before it looks by itself; a commit wakes it at once.',
    }),
  },
  engine: {
    name: setting.choice(['postgres', 'rabbitmq', 'bullmq'], {
      env: ['POSTRIDER_ENGINE'],
      default: 'postgres',
      says: 'Who wakes workers: the store itself, or bells through RabbitMQ or through BullMQ on Redis.',
    }),
    prefetch: setting.integer({
      env: ['POSTRIDER_ENGINE_PREFETCH'],
      default: 500,
      min: 1,
      max: 10_000,
      says: 'How many bells of a broker one worker holds at most, until their emails are settled.',
    }),
    window: setting.integer({
      env: ['POSTRIDER_ENGINE_WINDOW'],
      default: 2000,
      min: 1,
      max: 100_000,
      says: 'How many bells may be in a broker at once; the rest waits in the store, in fair order.',
    }),
    ringAgainMs: setting.duration({
      env: ['POSTRIDER_ENGINE_RING_AGAIN'],
      default: 30_000,
      min: 1000,
      max: 3_600_000,
      plainUnit: 's',
      says: 'After how long a bell that nobody answered counts as lost.',
    }),
  },
} satisfies Settings;

export const dispatchRules: readonly SettingRule[] = [
  {
    key: 'rabbitmq.url',
    reads: ['engine.name', 'rabbitmq.url'],
    broken: (get) =>
      get('engine.name') === 'rabbitmq' && get('rabbitmq.url') === null
        ? 'must be set for the engine rabbitmq'
        : null,
  },
];
