import type { SmtpDoorOptions } from './doors/smtp/index.js';
import type { Postrider } from './postrider.js';

/** What the SMTP door sees of a Postrider. */
export function smtpRooms(postrider: Postrider): Pick<SmtpDoorOptions, 'accept' | 'keys'> {
  return {
    keys: postrider.access.keys,
    async accept(emails, options) {
      const inputs = emails as Parameters<Postrider['sendBatch']>[0];
      if (inputs.length > 1) return postrider.sendBatch(inputs, options);
      return [await postrider.send(inputs[0]!, options)];
    },
  };
}
