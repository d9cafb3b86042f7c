export {
  type ClickedLink,
  listClickedLinks,
  listReached,
  type ReachedPerson,
  type ReachQuery,
} from './broadcast-reach.js';
export type { HoldContent } from './content-bytes.js';
export {
  type DeadLetter,
  type DeadLetterFilter,
  type DeadLetterGroup,
  findDeadLetter,
  groupDeadLetters,
  listDeadLetters,
} from './dead-letters.js';
export {
  type AttachmentEntry,
  type AttachmentFile,
  type EmailAttachments,
  findAttachment,
  findAttachments,
} from './email-attachments.js';
export { type EmailAttempt, listAttempts } from './email-attempts.js';
export { findStoredEmail, type StoredEmail, type StoredEmailOptions } from './email-content.js';
export {
  type EmailContent,
  type EmailEnvelope,
  findEnvelope,
  listEnvelopes,
} from './email-envelopes.js';
export { type EmailEvent, listEmailEvents } from './email-events.js';
export type { EmailFilter } from './email-filter.js';
export { type EmailLog, findEmailLog } from './email-log.js';
export { countEmailMetrics, type EmailMetricsQuery, type MetricCount } from './email-metrics.js';
export { type EmailStats, readEmailStats } from './email-stats.js';
export {
  FIGURE_HOURS,
  type Latency,
  readLatency,
  readSeries,
  type SeriesPoint,
  type StepSeconds,
} from './figures.js';
export { type FlowRead, type FlowSecond, readFlow } from './flow.js';
export {
  type BroadcastDetail,
  type BroadcastRun,
  type BroadcastSeen,
  findBroadcast,
  listBroadcasts,
} from './list-broadcasts.js';
export { type EmailPage, findByMessageId, listEmails, type PageOptions } from './list-emails.js';
export { listUserEmails, type UserEmailPage } from './list-user-emails.js';
export { type Overview, readOverview } from './overview.js';
export { countQueue, type QueueCounts, type QueueGroup } from './queue-counts.js';
export { type QueueDepth, readQueueDepth } from './queue-depth.js';
export type { ReadFile } from './read-files.js';
export { type PeriodUsage, readUsage, type TenantUsage } from './read-usage.js';
export { type RouteOverview, readRoutes } from './route-overview.js';
