export { checkProvider } from './check-provider.js';
export {
  createRouteTable,
  findRouteProblem,
  type RoutedEmail,
  type RouteTable,
} from './choose-route.js';
export { createConsoleProvider } from './console/create-console-provider.js';
export { createConfiguredProvider } from './create-configured-provider.js';
export { type Delivered, deliverByRoute, type FailedRoute } from './deliver-by-route.js';
export { composeMessage } from './mime/compose-message.js';
export type { DkimKey } from './mime/dkim-keys.js';
export type {
  AttemptContext,
  ConnectionReport,
  Deferred,
  ErrorCategory,
  FailureScope,
  Misconfigured,
  Outcome,
  OutgoingAttachment,
  OutgoingEmail,
  Provider,
  RecipientFailure,
  Rejected,
  Sent,
  Trace,
  Unknown,
} from './provider.js';
export { createResendProvider, type ResendOptions } from './resend/create-resend-provider.js';
export { DEFAULT_ROUTE, type Route } from './route.js';
export { createRouteBoard, type RouteBoard, type RouteMetrics } from './route-board.js';
export { parseRoutes, type RouteInput, type RouteSettings, routeSettings } from './route-settings.js';
export { createSesProvider, type SendQuota, type SesProvider } from './ses/create-ses-provider.js';
export type { SesOptions } from './ses/ses-options.js';
export type { ProviderConfig } from './settings.js';
export { classifyNetworkError, type NetworkVerdict } from './smtp/classify-network-error.js';
export { classifySmtpReply, type SmtpVerdict } from './smtp/classify-smtp-reply.js';
export { createSmtpProvider } from './smtp/create-smtp-provider.js';
export type { SmtpOptions } from './smtp/smtp-options.js';
export type { SmtpStage } from './smtp/smtp-stage.js';
