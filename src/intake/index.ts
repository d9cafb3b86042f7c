export { type Accepted, type AcceptOptions, createIntake, type Intake } from './accept-email.js';
export type { AddressInput, AttachmentInput, EmailInput } from './email-input.js';
