import { z } from 'zod';
import { defineEmail } from '../define-email.js';

/** Greets someone new on the hub and says what to do first. */
export const hubWelcome = defineEmail({
  type: 'hub_welcome',
  portal: 'hub',
  category: 'auth',
  priority: 3,
  data: z.strictObject({
    name: z.string().min(1).max(200),
    startUrl: z.url(),
    steps: z.array(z.string().max(500)).max(10).optional(),
  }),
  sample: {
    name: 'Ada',
    startUrl: 'https://hub.example.com/start',
    steps: ['Add a picture', 'Say what you are looking for'],
  },
});
