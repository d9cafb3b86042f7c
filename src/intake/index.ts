export type { EachAnswer } from './accept-each.js';
export { createIntake, type Intake } from './accept-email.js';
export { type AcceptOptions, BATCH_OPTIONS, type BatchOptions, SEND_OPTIONS } from './accept-options.js';
export type { PermissiveAnswer } from './accept-permissively.js';
export type { Accepted } from './accepted.js';
export { type UnsubscribeUrl, withUnsubscribe } from './complete-email.js';
export { parseDueTime } from './draft-times.js';
export { readCompanyId } from './email-draft.js';
export {
  EMAIL_BATCH,
  EMAIL_FIELDS,
  EMAIL_INPUT,
  MAX_MESSAGE_RECIPIENTS,
  MAX_RECIPIENTS,
} from './email-fields.js';
export type {
  AddressInput,
  AttachmentInput,
  EmailInput,
  EnvelopeInput,
  ReactEmailInput,
  TypedEmailInput,
} from './email-input.js';
export type { Content } from './render-typed.js';
export { traceIntake } from './trace-intake.js';
