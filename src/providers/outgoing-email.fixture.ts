import { systemClock } from '../kernel/index.js';
import type { AttemptContext, OutgoingEmail } from './provider.js';

/** A small email for tests; every part can be replaced. */
export function outgoingEmail(parts: Partial<OutgoingEmail> = {}): OutgoingEmail {
  const to = parts.to ?? [{ address: 'reader@example.net' }];
  const recipients = [...to, ...(parts.cc ?? []), ...(parts.bcc ?? [])].map(({ address }) => address);
  return {
    id: '0192f0c1-7b2e-7000-8000-000000000001',
    messageId: '<0192f0c1-7b2e-7000-8000-000000000001@example.com>',
    date: new Date(Date.UTC(2026, 0, 2, 3, 4, 5)),
    from: { address: 'sender@example.com', name: 'Sender' },
    replyTo: [],
    to,
    cc: [],
    bcc: [],
    subject: 'Your code',
    html: '<p>Hello</p>',
    text: 'Hello',
    headers: {},
    attachments: [],
    recipients,
    ...parts,
  };
}

/** An attempt that may deliver and has time, unless said otherwise. */
export function attemptContext(parts: Partial<AttemptContext> = {}): AttemptContext {
  return {
    sendDeadlineAt: systemClock.now() + 10_000,
    signal: new AbortController().signal,
    mayDeliver: () => true,
    ...parts,
  };
}
