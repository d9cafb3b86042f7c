import { type Settings, setting } from '../kernel/index.js';

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
} satisfies Settings;
