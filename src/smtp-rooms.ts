import type { SmtpDoorOptions } from './doors/smtp/index.js';
import type { Postrider } from './postrider.js';

/** What the SMTP door sees of a Postrider. */
export function smtpRooms(
  postrider: Postrider,
  front: Pick<Postrider, 'send' | 'sendBatch'> = postrider,
): Pick<SmtpDoorOptions, 'accept' | 'keys'> {
  return {
    keys: postrider.access.keys,
    async accept(emails, options) {
      const inputs = emails as Parameters<Postrider['sendBatch']>[0];
      const { headerRecipients, ...usual } = options;
      if (headerRecipients) return front.sendBatch(inputs, { ...usual, headerRecipients });
      if (inputs.length > 1) return front.sendBatch(inputs, { ...usual, oneMessage: true });
      return [await front.send(inputs[0]!, usual)];
    },
  };
}
