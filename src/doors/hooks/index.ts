export type { Notification } from './notification.js';
export { readMailReport } from './read-mail-report.js';
export { readResendEvent, refuseUnsigned } from './read-resend-event.js';
export { readSesEvent } from './read-ses-event.js';
export { createSnsVerifier, type FetchText, type SnsVerifier } from './verify-sns.js';
