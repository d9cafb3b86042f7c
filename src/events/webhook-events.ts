/** What an endpoint can ask to be told; the names are Resend's where it has one. */
export const WEBHOOK_EVENTS = [
  'email.scheduled',
  'email.sent',
  'email.delivered',
  'email.delivery_delayed',
  'email.bounced',
  'email.complained',
  'email.opened',
  'email.clicked',
  'email.failed',
  'email.suppressed',
  'email.retrying',
  'email.unknown',
  'email.canceled',
  'email.expired',
  'email.unsubscribed',
  'webhook.disabled',
] as const;

/** What of it is told on the bus. */
export const BUS_EVENTS = WEBHOOK_EVENTS.filter(
  (event): event is Exclude<WebhookEvent, 'webhook.disabled'> => event !== 'webhook.disabled',
);

export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
