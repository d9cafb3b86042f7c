export { findRecipients, type RecipientRef, recipientKey } from './find-recipients.js';
