/**
 * No server at all: the ledger lives in a folder, in the same process. Prints one email's journal.
 * Uses POSTRIDER_DATA_DIR or .postrider; delivers to SMTP_HOST and SMTP_PORT, or prints when they are not set.
 */
import { createPostrider } from '../src/index.js'; // in your application: from 'postrider'
import { untilEnded } from './until-ended.js';

const postrider = createPostrider({ config: { log: { level: 'warn' } } });
await postrider.start();

const emailId = await postrider.transaction(async (tx) => {
  const accepted = await postrider.send(
    {
      to: 'Ada <ada@example.com>',
      subject: 'Your report',
      html: '<h1>Report</h1><p>Attached.</p>',
      attachments: [{ filename: 'report.csv', content: Buffer.from('a,b\n1,2\n').toString('base64') }],
      metadata: { report: 7 },
    },
    { tx },
  );
  return accepted.emailId;
});

await untilEnded(postrider, emailId);
for (const event of await postrider.timeline(emailId)) console.log(event.sequence, event.type);
await postrider.stop();
