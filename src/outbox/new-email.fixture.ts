import type { NewEmail } from './new-email.js';

export const aNewEmail: NewEmail = {
  ...{
    id: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
    tenant: 'default',
    type: null,
    lang: null,
    userId: null,
    recipientId: null,
  },
  ...{ recipientExternalId: null, from: null, replyTo: [], to: [{ address: 'someone@example.com' }], cc: [] },
  ...{
    bcc: [],
    headers: {},
    category: null,
    essential: false,
    subject: 'Hello',
    html: '<p>Hello</p>',
    text: 'Hello',
  },
  ...{ attachments: [], priority: 3, scheduledAt: null, expiresAt: null, metadata: {}, requestId: 'request' },
  ...{ traceparent: null, delivery: 'at-least-once', retry: 'gateway', maxAttempts: 5, sensitive: false },
  ...{ route: 'default', suppressed: null },
};
