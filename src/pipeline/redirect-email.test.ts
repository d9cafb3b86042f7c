import { expect, it } from 'vitest';
import { recipientsOf } from '../outbox/index.js';
import { composeMessage, type OutgoingEmail } from '../providers/index.js';
import { openedEmail } from './opened-email.fixture.js';
import { outgoingEmail } from './outgoing-email.js';
import { redirectEmail } from './redirect-email.js';

const email: OutgoingEmail = {
  id: '0192f0c1-7b2e-7000-8000-000000000001',
  messageId: '<x@example.com>',
  date: new Date(Date.UTC(2026, 0, 2)),
  from: { address: 'sender@example.com' },
  replyTo: [],
  to: [{ address: 'first@example.net', name: 'First' }],
  cc: [{ address: 'second@example.net' }],
  bcc: [{ address: 'third@example.net' }],
  subject: 'Your code',
  html: '<p>Hello</p>',
  text: 'Hello',
  headers: { 'X-Kept': 'yes' },
  attachments: [],
  recipients: ['second@example.net'],
};

it('redirected → one recipient, the same subject, and whom it was for in a header nobody acts on', async () => {
  const meant = [...email.to, ...email.cc, ...email.bcc];
  const redirected = redirectEmail(email, { address: 'tester@example.org', meant });
  expect(redirected.recipients).toEqual(['tester@example.org']);
  expect(redirected).toMatchObject({ cc: [], bcc: [], subject: 'Your code', headers: { 'X-Kept': 'yes' } });
  const message = String(await composeMessage(redirected));
  expect(message).toContain('\r\nTo: tester@example.org\r\n');
  expect(message).toMatch(
    /X-Postrider-Original-To: first@example\.net, second@example\.net,\s+third@example\.net/,
  );
  expect(message).not.toMatch(/^(?:Cc|Bcc):/m);
});

it('fifty recipients → the header is folded, and the message can be written', async () => {
  const to = Array.from({ length: 50 }, (_, n) => ({
    address: `somebody-with-a-long-name-${n}@example.net`,
  }));
  const message = String(
    await composeMessage(redirectEmail({ ...email, to }, { address: 'tester@example.org', meant: to })),
  );
  expect(Math.max(...message.split('\r\n').map((line) => line.length))).toBeLessThan(200);
});

it('a share of a message to many → nobody whom its header names is on the wire, nor those of other shares', async () => {
  const reached = { address: 'reached@example.net' };
  const others = Array.from({ length: 100 }, (_, n) => ({ address: `other-${n}@example.net` }));
  const share = openedEmail({
    message: { to: [reached], headerRecipients: { to: [...others, reached], cc: [] } },
  });
  const outgoing = outgoingEmail(share, { address: 'sender@example.com' });
  expect([outgoing.recipients, outgoing.to.length]).toEqual([['reached@example.net'], 101]);
  const redirected = redirectEmail(outgoing, {
    address: 'tester@example.org',
    meant: recipientsOf(share.message),
  });
  const message = String(await composeMessage(redirected));
  expect(message).toContain('X-Postrider-Original-To: reached@example.net\r\n');
  expect(message).not.toContain('other-');
});
