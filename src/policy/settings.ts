import { type Settings, setting } from '../kernel/index.js';

/** What may be sent how often. */
export const policySettings = {
  limits: {
    enabled: setting.boolean({
      env: ['EMAIL_RATE_LIMIT_ENABLED'],
      default: true,
      says: 'Whether the limits per recipient and type apply; quotas do in any case.',
    }),
    unlimited: setting.words({
      env: ['POSTRIDER_UNLIMITED_TYPES'],
      default: null,
      form: 'names of types',
      fits: (word) => /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(word),
      says: 'Types whose declared limit does not apply, such as welcome; a limit that was set does.',
    }),
    hashKey: setting.text({
      env: ['POSTRIDER_HASH_KEY'],
      default: null,
      secret: true,
      form: 'text of at least 16 characters',
      fits: (key) => key.length >= 16,
      says: 'The key of the hashes that stand for addresses where they are counted, the same in every process; without it they can be recomputed by whoever reads the database.',
    }),
  },
} satisfies Settings;
