import { type Settings, setting } from '../../kernel/index.js';

/** The development inbox. */
export const inboxSettings = {
  dev: {
    smtpPort: setting.integer({
      env: ['DEV_SMTP_PORT'],
      default: 1025,
      min: 0,
      max: 65535,
      says: 'The port of the SMTP sink of `postrider dev`, on loopback; 0 takes any free one.',
    }),
  },
} satisfies Settings;
