export { signUserToken, type UserClaim } from './access/index.js';
export type { ConfigOverrides } from './config.js';
export type { DeadLetterQuery, DeadLetters, RetryReport } from './dead-letters.js';
export type { ErasureReport, ErasureRequest } from './erase-person.js';
export {
  type BusDeadLetter,
  type BusDeadLetters,
  type BusEvent,
  createEventBus,
  type EventBus,
  type EventBusOptions,
  type EventHandler,
  type HandlerAnswer,
  type HandlingContext,
  type NewBusEvent,
} from './events/index.js';
export type {
  Accepted,
  AcceptOptions,
  AddressInput,
  AttachmentInput,
  BatchOptions,
  EmailInput,
  ReactEmailInput,
  TypedEmailInput,
} from './intake/index.js';
export { type ErrorCode, type Logger, type Mailbox, PostriderError } from './kernel/index.js';
export {
  type MailOptions,
  type NodemailerTransport,
  postriderTransport,
  type SentInfo,
} from './nodemailer-transport.js';
export type { CancelManyFilter, CancelManyReport } from './operations.js';
export type { EmailStatus, EventType } from './outbox/index.js';
export type {
  QuotaChange,
  QuotaEntry,
  QuotaPeriod,
  Quotas,
  RateLimitChange,
  RateLimitCheck,
  RateLimitEntry,
  RateLimits,
} from './policy/index.js';
export { type CallOptions, createPostrider, type Postrider, type PostriderOptions } from './postrider.js';
export { resendProvider, sesProvider, smtpProvider } from './provider-accounts.js';
export type {
  AttemptContext,
  Outcome,
  OutgoingEmail,
  Provider,
  ResendOptions,
  Route,
  RouteInput,
  SesOptions,
  SmtpOptions,
} from './providers/index.js';
export type { EmailFilterInput } from './read-email-filter.js';
export type {
  AudienceCriteria,
  AudienceMember,
  CheckIn,
  RecentActivity,
  Recipient,
  RecipientInput,
  RecipientPage,
  RecipientRef,
  Recipients,
  Suppression,
  SuppressionInput,
  Suppressions,
} from './recipients/index.js';
export { createRegions } from './regions.js';
export type { MergedLog, MergedPage, RegionAnswer, Regions, RegionsOptions } from './regions-contract.js';
export {
  type BrandInput,
  type CheckOptions,
  checkClientHtml,
  checkTypes,
  type DraftContent,
  defineEmail,
  type EmailType,
  type Making,
  type RenderedContent,
  type TemplateKeyInput,
  type TemplateSummary,
  type Templates,
  type TemplateType,
  type TemplateVersion,
} from './render/index.js';
export {
  type AudiencePage,
  type AudienceRequest,
  type CampaignEmail,
  defineSchedule,
  type Focus,
  type FocusContent,
  type Occasion,
  type Placed,
  type Schedule,
  type ScheduleDeclaration,
  type ScheduleRun,
  type ScheduleSeen,
  type Schedules,
} from './schedules/index.js';
export type { CallerTransaction, DatabaseSource } from './store/index.js';
export type { DeadLetter, DeadLetterGroup, EmailEvent, EmailLog, EmailPage } from './views/index.js';
