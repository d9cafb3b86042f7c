/** The emails of the portal for agencies. */
import { z } from 'zod';
import { defineEmail } from '../define-email.js';
import { passwordChange, passwordChangeSample, passwordLink, passwordLinkSample } from './account-fields.js';
import { link, personName, thingName } from './data-fields.js';

const HOST = 'agency.example.com';

export const agencyWelcome = defineEmail({
  type: 'agency_welcome',
  portal: 'agency',
  category: 'auth',
  priority: 3,
  data: z.strictObject({ name: personName, agency: thingName, startUrl: link }),
  sample: { name: 'Ada', agency: 'Lovelace & Partners', startUrl: `https://${HOST}/start` },
});

export const agencyForgotPassword = defineEmail({
  type: 'agency_forgot_password',
  portal: 'agency',
  category: 'auth',
  priority: 1,
  expiresIn: '1h',
  sensitive: true,
  data: passwordLink,
  sample: passwordLinkSample(HOST),
});

export const agencyPasswordChanged = defineEmail({
  type: 'agency_password_changed',
  portal: 'agency',
  category: 'auth',
  priority: 2,
  data: passwordChange,
  sample: passwordChangeSample(HOST),
});
