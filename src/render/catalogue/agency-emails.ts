/** The emails of the portal for agencies. */
import { z } from 'zod';
import { defineEmail } from '../define-email.js';
import { link, personName, thingName } from './data-fields.js';
import { forgotPasswordEmail, passwordChangedEmail } from './password-emails.js';

const HOST = 'agency.example.com';

export const agencyWelcome = defineEmail({
  type: 'agency_welcome',
  portal: 'agency',
  category: 'auth',
  priority: 3,
  data: z.strictObject({ name: personName, agency: thingName, startUrl: link }),
  sample: { name: 'Ada', agency: 'Lovelace & Partners', startUrl: `https://${HOST}/start` },
});

export const agencyForgotPassword = forgotPasswordEmail({
  type: 'agency_forgot_password',
  portal: 'agency',
  host: HOST,
});

export const agencyPasswordChanged = passwordChangedEmail({
  type: 'agency_password_changed',
  portal: 'agency',
  host: HOST,
});
