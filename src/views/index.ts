export {
  type DeadLetter,
  type DeadLetterFilter,
  type DeadLetterGroup,
  findDeadLetter,
  groupDeadLetters,
  listDeadLetters,
} from './dead-letters.js';
export { type EmailEvent, listEmailEvents } from './email-events.js';
export type { EmailFilter } from './email-filter.js';
export { type EmailLog, findEmailLog } from './email-log.js';
export { countEmails, type EmailPage, listEmails, type PageOptions } from './list-emails.js';
export { type Overview, readOverview } from './overview.js';
export type { RouteOverview } from './route-overview.js';
