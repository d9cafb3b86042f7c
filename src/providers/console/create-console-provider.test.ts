import { expect, test } from 'vitest';
import { createLogger } from '../../kernel/index.js';
import { attemptContext, outgoingEmail } from '../outgoing-email.fixture.js';
import { createConsoleProvider } from './create-console-provider.js';

function consoleWithLines() {
  const lines: string[] = [];
  const logger = createLogger({ destination: { write: (line) => lines.push(line) } });
  return { lines, provider: createConsoleProvider({ logger }) };
}

test('an email → one line with id and number of recipients, nothing of its content', async () => {
  const { lines, provider } = consoleWithLines();
  const email = outgoingEmail({ text: 'code 482913', html: '<p>482913</p>', subject: '482913' });
  expect(await provider.send(email, attemptContext())).toMatchObject({
    kind: 'sent',
    providerMessageId: `console-${email.id}`,
  });
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0]!)).toMatchObject({ outboxId: email.id, provider: 'console', recipients: 1 });
  expect(lines[0]).not.toMatch(/482913|reader@/);
});

test('mayDeliver says no → nothing is written', async () => {
  const { lines, provider } = consoleWithLines();
  const outcome = await provider.send(outgoingEmail(), attemptContext({ mayDeliver: () => false }));
  expect(outcome).toMatchObject({ kind: 'deferred', code: 'LEASE_LOST', uncounted: true });
  expect(lines).toHaveLength(0);
});
