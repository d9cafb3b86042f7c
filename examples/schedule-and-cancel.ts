/**
 * Sending later, changing one's mind, and mail that is worthless when late or must never come twice.
 * Needs DATABASE_URL; delivers to SMTP_HOST and SMTP_PORT, or prints when they are not set.
 */
import { createPostrider, PostriderError } from '../src/index.js'; // in your application: from 'postrider'
import { untilEnded } from './until-ended.js';

const postrider = createPostrider({ database: process.env.DATABASE_URL });
await postrider.start();

const tomorrow = new Date(Date.now() + 24 * 3_600_000);
const reminder = await postrider.schedule(
  { to: 'ada@example.com', subject: 'Your appointment', text: 'Tomorrow at nine.' },
  tomorrow,
);
console.log(`reminder:    ${reminder.status}`);
console.log(`cancelled:   ${(await postrider.cancel(reminder.emailId)).status}`);

const code = await postrider.send({
  to: 'ada@example.com',
  subject: 'Your sign-in code',
  text: '123 456',
  priority: 1,
  expiresAt: new Date(Date.now() + 10 * 60_000),
  delivery: 'at-most-once',
});
console.log(`code:        ${await untilEnded(postrider, code.emailId)}`);
try {
  await postrider.cancel(code.emailId);
} catch (error) {
  if (!(error instanceof PostriderError)) throw error;
  console.log(`too late:    ${error.code}`);
}
await postrider.stop();
