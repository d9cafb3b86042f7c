import { hashContent, type OpenedEmail } from '../outbox/index.js';

/** An opened email as the ledger hands it to the pipeline; every part can be replaced. */
export function openedEmail(parts: Partial<OpenedEmail> = {}): OpenedEmail {
  const subject = parts.subject ?? 'Your code';
  const body =
    parts.body === undefined ? { html: '<p>Hello</p>', text: 'Hello', attachments: [] } : parts.body;
  return {
    id: '0192f0c1-7b2e-7000-8000-000000000001',
    token: 3,
    attempt: 1,
    maxAttempts: 5,
    earlierAttempts: 0,
    sensitive: false,
    bytes: 20,
    priority: 3,
    route: 'default',
    tenant: 'acme',
    type: null,
    requestId: 'req-1',
    recipientId: null,
    recipientExternalId: null,
    to: 'reader@example.net',
    subject,
    message: { to: [{ address: parts.to ?? 'reader@example.net' }] },
    retry: 'gateway',
    delivery: 'at-least-once',
    body,
    contentHash: body === null ? null : hashContent({ subject, ...body }),
    createdAt: new Date(Date.UTC(2026, 0, 2)),
    dueAt: new Date(Date.UTC(2026, 0, 2)),
    expired: false,
    possibleDuplicate: false,
    suspect: false,
    begun: false,
    repeatableMs: null,
    remaining: null,
    anySuppressed: false,
    found: true,
    unreadable: null,
    ...parts,
  };
}
