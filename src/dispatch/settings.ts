import { type Settings, setting } from '../kernel/index.js';

/** How a worker gets its next emails. */
export const dispatchSettings = {
  worker: {
    enabled: setting.boolean({
      env: ['EMAIL_WORKER_ENABLED'],
      default: true,
      says: 'Whether a process that is not told its roles also delivers.',
    }),
    batchSize: setting.integer({
      env: ['EMAIL_WORKER_BATCH_SIZE', 'EMAIL_QUEUE_BATCH_SIZE'],
      default: 300,
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
} satisfies Settings;
