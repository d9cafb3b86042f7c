import { expect, test } from 'vitest';
import { ManualClock } from '../kernel/index.js';
import { longestTurn } from '../kernel/longest-turn.fixture.js';
import { type CompletionOptions, completeEmail, completeEmails } from './complete-email.js';

const options: CompletionOptions = {
  clock: new ManualClock(0),
  defaultTenant: 'default',
  hasSender: true,
  region: null,
  retryPreset: 'gateway',
  chooseRoute: () => 'default',
  allowedDomains: null,
  maxAttempts: null,
  kindOf: () => null,
  unsubscribeUrl: null,
};
const email = (html: string) => ({ to: 'ada@b.example', subject: 'Welcome', html });
const incoming = (input: unknown, place = '') => ({ input, requestId: 'r', place });

test('an ordinary email → complete at once, without a promise', () => {
  expect(completeEmail(options, incoming(email('<p>Hello, and more of it online</p>')))).toMatchObject({
    html: expect.stringContaining('Hello'),
  });
  expect(completeEmail(options, incoming(email('<p>Hello')))).not.toBeInstanceOf(Promise);
});

test('what a closer look finds → refused with its place in the batch', async () => {
  const inputs = [email('<p>x'), email('<p onclick=x>')].map((input, at) => incoming(input, `[${at}]`));
  await expect(completeEmails(options, inputs)).rejects.toThrow(
    expect.objectContaining({
      code: 'INVALID_TEMPLATE',
      field: '[1].html',
      message: 'html contains an event handler attribute',
    }),
  );
});

test('thirty emails of 500 KB in one batch, ordinary or to be looked at → other work goes on between', async () => {
  for (const start of ['', '<p title="script:">']) {
    const html = start + '<td>x</td>'.repeat(50 * 1024);
    const inputs = Array.from({ length: 30 }, () => incoming(email(html)));
    const { longest } = await longestTurn(() => completeEmails(options, inputs));
    // 30 and 50 ms where nothing else runs; together they took three seconds.
    expect(longest).toBeLessThan(500);
  }
});
