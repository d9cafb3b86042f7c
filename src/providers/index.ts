export { createConsoleProvider } from './console/create-console-provider.js';
export { composeMessage } from './mime/compose-message.js';
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
export { classifyNetworkError, type NetworkVerdict } from './smtp/classify-network-error.js';
export { classifySmtpReply, type SmtpVerdict } from './smtp/classify-smtp-reply.js';
export { createSmtpProvider } from './smtp/create-smtp-provider.js';
export type { SmtpOptions } from './smtp/smtp-options.js';
export type { SmtpStage } from './smtp/smtp-stage.js';
