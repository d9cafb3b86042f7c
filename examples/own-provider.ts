/**
 * A way out of one's own: an object that sends and returns what came of it. Postrider does the rest.
 * Needs DATABASE_URL.
 */
import { createPostrider, type Provider } from '../src/index.js'; // in your application: from 'postrider'
import { untilEnded } from './until-ended.js';

let calls = 0;

const moody: Provider = {
  name: 'moody',
  callsBegin: true,
  async send(email, attempt) {
    calls += 1;
    // With a connection, before the first byte: from here on a crash makes it a possible duplicate. It may have been cancelled.
    if ((await attempt.begin?.()) === false) return notNow('CLAIM_LOST', 'not to be sent any more', true);
    // Ask right before the act that cannot be taken back: another worker may own this email by now.
    if (!attempt.mayDeliver()) return notNow('LEASE_LOST', 'the claim may have been taken over', true);
    if (calls === 1) return notNow('BUSY', 'come back in a second', false);
    return { kind: 'sent', providerMessageId: `moody-${email.id}`, trace: { stage: 'reply' } };
  },
  async testConnection() {
    return { ok: true, message: 'always there' };
  },
  async close() {},
};

const postrider = createPostrider({
  database: process.env.DATABASE_URL,
  provider: moody,
  from: { address: 'noreply@example.com', name: 'Example' },
});
await postrider.start();
const { emailId } = await postrider.send({ to: 'ada@example.com', subject: 'Hello', text: 'Hello' });
console.log(`status:      ${await untilEnded(postrider, emailId)}`);
console.log(`attempts:    ${(await postrider.get(emailId))?.attempts}`);
await postrider.stop();

function notNow(code: string, message: string, uncounted: boolean) {
  const trace = { stage: 'connect' };
  return {
    kind: 'deferred',
    scope: 'route',
    code,
    category: 'TRANSIENT_ERROR',
    message,
    trace,
    uncounted,
  } as const;
}
