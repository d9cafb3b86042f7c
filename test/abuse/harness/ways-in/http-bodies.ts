/** Bodies with every field there is, where the description of the API has none: it leaves the API of Resend out. */
const content = {
  from: 'Ada <ada@example.com>',
  subject: 'Hello',
  html: '<p>Hello</p>',
  text: 'Hello',
  reply_to: ['help@example.com'],
};

export const email = {
  ...content,
  to: ['Bob <bob@example.net>'],
  cc: ['cy@example.net'],
  bcc: ['dee@example.net'],
  headers: { 'X-Order': '42' },
  tags: [{ name: 'kind', value: 'order' }],
  attachments: [{ filename: 'a.txt', content: 'NDI=', content_type: 'text/plain', content_id: 'a' }],
  scheduled_at: 'in 1 hour',
};

export const FULL_BODIES: Record<string, unknown> = {
  'POST /resend/emails': email,
  'POST /resend/emails/batch': [email],
  'POST /resend/segments': { name: 'x' },
  'POST /resend/contacts': {
    ...{ email: 'new@example.net', first_name: 'Cy', last_name: 'X', unsubscribed: false },
    properties: { x: 'y' },
  },
  'PATCH /resend/contacts/:contact': { first_name: 'Cy', last_name: 'X', properties: { x: 'y' } },
  'POST /resend/contact-properties': { key: 'y', type: 'string', fallback_value: 'z' },
  'POST /resend/topics': { name: 'y', description: 'About it', default_subscription: 'opt_in' },
  'PATCH /resend/topics/:topic': { name: 'y', description: 'About it' },
  'POST /resend/broadcasts': { ...content, name: 'x', segment_id: ':segment', preview_text: 'Soon' },
  'PATCH /resend/broadcasts/:broadcast': { ...content, name: 'x', preview_text: 'Soon' },
  'POST /resend/broadcasts/:broadcast/send': { scheduled_at: 'in 1 hour' },
  'POST /resend/templates': {
    ...{ ...content, name: 'x', alias: 'y' },
    variables: [{ key: 'A', type: 'string', fallback_value: 'z' }],
  },
  'PATCH /resend/templates/:template': {
    ...{ ...content, name: 'x' },
    variables: [{ key: 'A', type: 'string', fallback_value: 'z' }],
  },
  'POST /resend/domains': { name: 'beta.example.com', region: 'eu-west-1' },
  'PATCH /resend/contacts/:contact/topics': [{ id: ':topic', subscription: 'opt_in' }],
  'POST /resend/webhooks': { endpoint: 'https://example.net/', events: ['email.sent'] },
  'PATCH /resend/webhooks/:id': {
    endpoint: 'https://example.net/',
    events: ['email.sent'],
    status: 'enabled',
  },
  'POST /resend/api-keys': { name: 'x', permission: 'sending_access' },
};
