/** The emails of the hub, where people have their own accounts. */
import { z } from 'zod';
import { defineEmail } from '../define-email.js';
import { ADDRESS_LINK_SHOWN, addressLink, addressLinkSample } from './account-fields.js';
import { link, personName } from './data-fields.js';
import { forgotPasswordEmail, passwordChangedEmail } from './password-emails.js';

const HOST = 'hub.example.com';

/** Greets someone new and says what to do first. */
export const hubWelcome = defineEmail({
  type: 'hub_welcome',
  portal: 'hub',
  category: 'auth',
  priority: 3,
  data: z.strictObject({
    name: personName,
    startUrl: link,
    steps: z.array(z.string().min(1).max(500)).max(10).optional(),
  }),
  sample: {
    name: 'Ada',
    startUrl: `https://${HOST}/start`,
    steps: ['Add a picture', 'Say what you are looking for'],
  },
});

export const hubForgotPassword = forgotPasswordEmail({
  type: 'hub_forgot_password',
  portal: 'hub',
  host: HOST,
});

export const hubPasswordChanged = passwordChangedEmail({
  type: 'hub_password_changed',
  portal: 'hub',
  host: HOST,
});

export const hubEmailVerification = defineEmail({
  type: 'hub_email_verification',
  portal: 'hub',
  category: 'auth',
  priority: 1,
  expiresIn: '24h',
  sensitive: true,
  subjectFields: ADDRESS_LINK_SHOWN,
  data: addressLink,
  sample: addressLinkSample(HOST),
});
