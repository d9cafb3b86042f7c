/**
 * An email type of one's own, in two languages, beside a built-in one. The compiler and the store check the data.
 * Needs DATABASE_URL; delivers to SMTP_HOST and SMTP_PORT, or prints when they are not set.
 */
import { z } from 'zod';
import { createPostrider, defineEmail, PostriderError } from '../src/index.js'; // in your application: from 'postrider'
import { untilEnded } from './until-ended.js';

const parcelSent = defineEmail({
  type: 'parcel_sent',
  portal: 'org',
  category: 'orders',
  priority: 2,
  expiresIn: '7d',
  data: z.strictObject({ name: z.string(), trackUrl: z.url() }),
  sample: { name: 'Ada', trackUrl: 'https://shop.example.com/track/1' },
  content: {
    subject: '{{t "subject"}}',
    html: '{{> paragraph text=(t "hello" name=name)}}\n{{> button url=trackUrl label=(t "action")}}',
    messages: {
      en: { subject: 'On its way', hello: 'Hello {name}, your parcel has left.', action: 'Follow it' },
      de: { subject: 'Unterwegs', hello: 'Hallo {name}, Ihr Paket ist unterwegs.', action: 'Verfolgen' },
    },
  },
});

const postrider = createPostrider({ database: process.env.DATABASE_URL, types: [parcelSent] });
await postrider.start();

const own = await postrider.send({
  type: 'parcel_sent',
  to: 'ada@example.com',
  lang: 'de-AT',
  data: { name: 'Ada', trackUrl: 'https://shop.example.com/track/42' },
});
console.log(`own type:    ${await untilEnded(postrider, own.emailId)}`);
console.log(`subject:     ${(await postrider.get(own.emailId))?.subject}`);

const builtIn = await postrider.send({ type: 'welcome', to: 'ada@example.com', data: { name: 'Ada' } });
console.log(`built-in:    ${await untilEnded(postrider, builtIn.emailId)}`);

try {
  const data = { name: 'Ada', trackUrl: 'not a link' }; // the right shape for the compiler, refused at run time
  await postrider.send({ type: 'parcel_sent', to: 'ada@example.com', data });
} catch (error) {
  if (!(error instanceof PostriderError)) throw error;
  console.log(`refused:     ${error.code} ${error.field}`);
}
await postrider.stop();
