export { type SmtpDoor, type SmtpDoorOptions, startSmtpDoor } from './start-smtp-door.js';
