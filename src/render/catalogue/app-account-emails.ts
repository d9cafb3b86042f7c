/** The emails of the app around an account: proving an address, passwords, hello and goodbye. */
import { z } from 'zod';
import { defineEmail } from '../define-email.js';
import {
  ADDRESS_LINK_SHOWN,
  addressLink,
  addressLinkSample,
  PASSWORD_LINK_SHOWN,
  passwordLink,
  passwordLinkSample,
} from './account-fields.js';
import { instant, link, personName, timeZone } from './data-fields.js';
import { passwordChangedEmail } from './password-emails.js';

const HOST = 'app.example.com';
const HOUR = 3600;

export const verification = defineEmail({
  type: 'verification',
  portal: 'app',
  category: 'auth',
  priority: 1,
  rateLimit: { limit: 3, windowSeconds: HOUR },
  expiresIn: '24h',
  sensitive: true,
  subjectFields: ADDRESS_LINK_SHOWN,
  data: addressLink,
  sample: addressLinkSample(HOST),
});

export const passwordReset = defineEmail({
  type: 'password_reset',
  portal: 'app',
  category: 'auth',
  priority: 1,
  rateLimit: { limit: 3, windowSeconds: HOUR },
  expiresIn: '1h',
  sensitive: true,
  subjectFields: PASSWORD_LINK_SHOWN,
  data: passwordLink,
  sample: passwordLinkSample(HOST),
});

export const passwordChanged = passwordChangedEmail({ type: 'password_changed', portal: 'app', host: HOST });

/**
 * After the address is proven; once per user: the second is RATE_LIMITED, also inside a sign-up. `rateLimits.set` with
 * limit null, or POSTRIDER_UNLIMITED_TYPES, lifts it.
 */
export const welcome = defineEmail({
  type: 'welcome',
  portal: 'app',
  category: 'auth',
  priority: 3,
  rateLimit: { limit: 1, windowSeconds: null, countBy: 'userId' },
  data: z.strictObject({ name: personName, startUrl: link.optional() }),
  sample: { name: 'Ada', startUrl: `https://${HOST}/start` },
});

/**
 * An account will be deleted on a day; until then the person can change their mind. Once per user: when they do,
 * `rateLimits.reset` frees the next one.
 */
export const deletionScheduled = defineEmail({
  type: 'deletion_scheduled',
  portal: 'app',
  category: 'account',
  priority: 2,
  rateLimit: { limit: 1, windowSeconds: null, countBy: 'userId' },
  data: z.strictObject({ name: personName, deletionAt: instant, timeZone, cancelUrl: link }),
  sample: {
    name: 'Ada',
    deletionAt: '2030-06-13T10:00:00Z',
    timeZone: 'Europe/Berlin',
    cancelUrl: `https://${HOST}/account/keep`,
  },
});
