export {
  type AudienceMember,
  type AudienceMoment,
  type AudienceZone,
  countAudience,
  listTimeZones,
  markReminded,
  readAudiencePage,
} from './audience.js';
export { AUDIENCE_CRITERIA, type AudienceCriteria } from './audience-sql.js';
export {
  createRecipients,
  type ImportOptions,
  type ImportReport,
  type ListOptions,
  type RecipientOptions,
  type RecipientPage,
  type Recipients,
  type ReportOptions,
} from './create-recipients.js';
export { eraseRecipients, findPersonToErase, type KnownPerson } from './erase-recipients.js';
export { findLanguages, findUnknownRecipients, type NamedRecipient, nameKey } from './find-recipients.js';
export { ROW_FORMATS, type RowFormat, readRows } from './read-rows.js';
export {
  REMINDER_FREQUENCIES,
  type Recipient,
  type RecipientInput,
  type RecipientRef,
  type ReminderFrequency,
} from './recipient.js';
export { type CheckIn, type RecentActivity, readRecentActivity } from './report-activity.js';
export type { UpsertedRecipient } from './upsert-recipients.js';
