export { emailsFromEvents, type TakeEmails } from './emails-from-events.js';
