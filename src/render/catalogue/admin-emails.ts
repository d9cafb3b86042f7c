/** The email of the portal for operators. */
import { z } from 'zod';
import { defineEmail } from '../define-email.js';
import { line, minutes, personName, sixDigits } from './data-fields.js';

/** The second step of signing in: six digits. */
export const adminTfa = defineEmail({
  type: 'admin_tfa',
  portal: 'admin',
  category: 'auth',
  priority: 1,
  expiresIn: '10m',
  sensitive: true,
  subjectFields: ['name', 'expiresInMinutes', 'requestedFrom'],
  data: z.strictObject({
    name: personName,
    code: sixDigits,
    expiresInMinutes: minutes,
    /** Where the sign-in came from: an address, a browser. */
    requestedFrom: line(120).optional(),
  }),
  sample: { name: 'Ada', code: '482915', expiresInMinutes: 10, requestedFrom: '203.0.113.7, Firefox' },
});
