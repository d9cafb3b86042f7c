export type { EachAnswer } from './accept-each.js';
export { type AcceptOptions, createIntake, type Intake } from './accept-email.js';
export type { PermissiveAnswer } from './accept-permissively.js';
export type { Accepted } from './accepted.js';
export type { UnsubscribeUrl } from './complete-email.js';
export { parseDueTime } from './draft-times.js';
export { readCompanyId } from './email-draft.js';
export { EMAIL_BATCH, EMAIL_FIELDS, EMAIL_INPUT } from './email-fields.js';
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
