export { type Accepted, type AcceptOptions, createIntake, type Intake } from './accept-email.js';
export type {
  AddressInput,
  AttachmentInput,
  EmailInput,
  EnvelopeInput,
  ReactEmailInput,
  TypedEmailInput,
} from './email-input.js';
export type { Content } from './render-typed.js';
