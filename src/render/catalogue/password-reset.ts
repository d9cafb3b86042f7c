import { z } from 'zod';
import { defineEmail } from '../define-email.js';

/** A link to choose a new password. */
export const passwordReset = defineEmail({
  type: 'password_reset',
  portal: 'app',
  category: 'auth',
  priority: 1,
  rateLimit: { limit: 3, windowSeconds: 3600 },
  expiresIn: '1h',
  sensitive: true,
  data: z.strictObject({
    name: z.string().min(1).max(200),
    resetUrl: z.url(),
    expiresInMinutes: z.int().positive(),
  }),
  sample: {
    name: 'Ada',
    resetUrl: 'https://app.example.com/reset?token=7f3a91',
    expiresInMinutes: 60,
  },
});
