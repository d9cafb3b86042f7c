import { composeMessage } from '../../src/providers/index.js';
import { encodeForWire } from '../../src/providers/smtp/encode-for-wire.js';
import { sampleEmails } from './sample-emails.js';

/** A thousand of the sample emails as they go over the wire, for the loop that only sends. */
export async function composeSamples(): Promise<Buffer[]> {
  const from = { address: 'noreply@example.com' };
  return Promise.all(
    sampleEmails(1000).map(async (email, index) => {
      const to = { address: String(email.to) };
      const message = await composeMessage({
        id: String(index),
        messageId: `<${index}@example.com>`,
        date: new Date(),
        from,
        replyTo: [],
        to: [to],
        cc: [],
        bcc: [],
        subject: email.subject,
        html: email.html ?? '',
        text: email.text ?? '',
        headers: {},
        attachments: [],
        recipients: [to.address],
      });
      return encodeForWire(message).content;
    }),
  );
}
