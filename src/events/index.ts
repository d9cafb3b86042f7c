export type { BusDeadLetter, BusDeadLetters } from './bus/bus-dead-letters.js';
export type { BusEvent, NewBusEvent } from './bus/bus-event.js';
export { createBusPublisher } from './bus/bus-publisher.js';
export {
  countOwedEvents,
  eraseOwedEvents,
  forgetOldBusRows,
  leaveBus,
  noteReceived,
} from './bus/bus-rows.js';
export {
  type BusState,
  createEventBus,
  type EventBus,
  type EventBusOptions,
} from './bus/create-event-bus.js';
export type { BusOutcome, EventHandler, HandlerAnswer, HandlingContext } from './bus/handle-message.js';
export {
  createWebhooks,
  type DeliveryDetail,
  type DeliveryPage,
  type ReplayRange,
  type Webhooks,
} from './create-webhooks.js';
export {
  type DeliveryAttempt,
  eraseDeliveries,
  forgetOldDeliveries,
  type WebhookDelivery,
} from './delivery-rows.js';
export {
  DELIVERY_PAGE_FIELDS,
  type EndpointChange,
  type EndpointInput,
  WEBHOOK_INPUTS,
  type WebhookEndpoint,
} from './endpoint.js';
export type { DisabledEndpoint } from './endpoint-rows.js';
export { guardedLookup, postWebhook, type Resolve, systemResolve } from './post-webhook.js';
export { isPublicAddress } from './public-address.js';
export { signWebhook } from './sign-webhook.js';
export { WEBHOOK_EVENTS, type WebhookEvent } from './webhook-events.js';
export { createWebhookSender, WEBHOOK_CHANNEL, type WebhookSender } from './webhook-sender.js';
