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
export { acceptableRows, type CheckedRows, checkSuppressionRows } from './check-suppressions.js';
export { BROADCASTS, type Contact, type ContactInput, type ListedContact } from './contacts/contact.js';
export {
  type ContactProperties,
  type ContactProperty,
  createContactProperties,
  propertyNotFound,
} from './contacts/contact-properties.js';
export { type Contacts, createContacts } from './contacts/create-contacts.js';
export { readSegmentPage } from './contacts/read-contacts.js';
export { createSegments, type Segment, type Segments, segmentNotFound } from './contacts/segments.js';
export { createTopics, type Topic, type Topics, topicNotFound } from './contacts/topics.js';
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
export {
  createSuppressions,
  type SuppressionListOptions,
  type SuppressionOptions,
  type SuppressionPage,
  type Suppressions,
} from './create-suppressions.js';
export { eraseRecipients, findPersonToErase, type KnownPerson } from './erase-recipients.js';
export { findLanguages, findUnknownRecipients, type NamedRecipient, nameKey } from './find-recipients.js';
export {
  type Addressed,
  ANY_SUPPRESSED,
  createSuppressionReader,
  findSuppressed,
  isRefusable,
  type Suppressed,
  type SuppressionReader,
} from './find-suppressed.js';
export { PEOPLE_LIST, RECIPIENT_PAGE_FIELDS, REPORT_FIELDS } from './parse-recipient.js';
export { SUPPRESSION_KEY_FIELDS, SUPPRESSION_LIST, SUPPRESSION_PAGE_FIELDS } from './parse-suppression.js';
export { ROW_FORMATS, type RowFormat, readRows } from './read-rows.js';
export {
  REMINDER_FREQUENCIES,
  type Recipient,
  type RecipientInput,
  type RecipientRef,
  type ReminderFrequency,
} from './recipient.js';
export { type CheckIn, forgetOldDays, type RecentActivity, readRecentActivity } from './report-activity.js';
export {
  readSubscriptions,
  resubscribe,
  type Subscriptions,
  unsubscribe,
} from './subscriptions.js';
export {
  SUPPRESSION_REASONS,
  type Suppression,
  type SuppressionInput,
  type SuppressionReason,
} from './suppression.js';
export {
  createSuppressionEntries,
  SUPPRESSION_ORIGINS,
  type SuppressionEntries,
  type SuppressionEntry,
} from './suppression-entries.js';
export {
  createUnsubscribeLinks,
  UNSUBSCRIBE_PATH,
  type UnsubscribeLink,
  type UnsubscribeLinks,
} from './unsubscribe-links.js';
export type { UpsertedRecipient } from './upsert-recipients.js';
export { writeSuppressionRows } from './write-suppression-rows.js';
export { addSuppressions, forgetSuppressedAddresses } from './write-suppressions.js';
