/** The emails of the portal for organisations. */
import { z } from 'zod';
import { defineEmail } from '../define-email.js';
import { days, line, link, personName, thingName } from './data-fields.js';
import { forgotPasswordEmail, passwordChangedEmail } from './password-emails.js';

const HOST = 'org.example.com';

/** An organisation has been set up; to the person who did it. */
export const orgWelcome = defineEmail({
  type: 'org_welcome',
  portal: 'org',
  category: 'auth',
  priority: 3,
  data: z.strictObject({ name: personName, organisation: thingName, startUrl: link }),
  sample: { name: 'Ada', organisation: 'Analytical Engines', startUrl: `https://${HOST}/start` },
});

export const orgForgotPassword = forgotPasswordEmail({
  type: 'org_forgot_password',
  portal: 'org',
  host: HOST,
});

export const orgPasswordChanged = passwordChangedEmail({
  type: 'org_password_changed',
  portal: 'org',
  host: HOST,
});

/** Someone is asked to join an organisation. The link makes an account, so the body is kept from operators. */
export const orgInvite = defineEmail({
  type: 'org_invite',
  portal: 'org',
  category: 'auth',
  priority: 3,
  sensitive: true,
  subjectFields: ['inviter', 'organisation', 'role', 'expiresInDays'],
  data: z.strictObject({
    inviter: personName,
    organisation: thingName,
    role: line(80).optional(),
    acceptUrl: link,
    expiresInDays: days,
  }),
  sample: {
    inviter: 'Grace',
    organisation: 'Analytical Engines',
    role: 'Recruiter',
    acceptUrl: `https://${HOST}/join?token=7f3a91`,
    expiresInDays: 7,
  },
});
