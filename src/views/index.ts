export { type EmailEvent, listEmailEvents } from './email-events.js';
export { type EmailLog, findEmailLog } from './email-log.js';
export { type Overview, readOverview } from './overview.js';
export type { RouteOverview } from './route-overview.js';
