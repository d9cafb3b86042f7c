import { type Settings, setting } from '../kernel/index.js';
import { readSecretKeys } from './secret-ring.js';
import { MIN_KEY_LENGTH, userTokenKeys } from './user-token.js';

/** Who may send as whom, and how long an operator stays signed in. */
export const accessSettings = {
  access: {
    strictSenders: setting.boolean({
      env: ['POSTRIDER_STRICT_SENDERS'],
      default: false,
      says: 'Whether a tenant without a list of from-domains may use the default sender alone.',
    }),
    sessionIdleMs: setting.duration({
      env: ['POSTRIDER_SESSION_IDLE'],
      plainUnit: 's',
      default: 30 * 60_000,
      min: 60_000,
      max: 24 * 3_600_000,
      says: 'How long an operator who does nothing stays signed in.',
    }),
    sessionMaxMs: setting.duration({
      env: ['POSTRIDER_SESSION_MAX'],
      plainUnit: 's',
      default: 12 * 3_600_000,
      min: 60_000,
      max: 30 * 24 * 3_600_000,
      says: 'How long an operator stays signed in at most.',
    }),
    secretKeys: setting.text({
      env: ['POSTRIDER_SECRET_KEYS'],
      default: null,
      secret: true,
      form: 'one or more of `id:key` with commas between, each key 32 bytes in base64',
      fits: (keys) => readSecretKeys(keys) !== null,
      says: 'The keys that secrets in the database are sealed with: the first seals, all open.',
    }),
    userTokenKey: setting.text({
      env: ['POSTRIDER_USER_TOKEN_KEY'],
      default: null,
      secret: true,
      form: `one key of at least ${MIN_KEY_LENGTH} characters, or several with commas between`,
      fits: (keys) => userTokenKeys(keys).every((key) => key.length >= MIN_KEY_LENGTH),
      says: 'The key an application signs its user tokens with; further ones are accepted, so that it can be changed.',
    }),
  },
} satisfies Settings;
