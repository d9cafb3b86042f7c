export { type Address, decodeWords, flattened, readAddresses } from './addresses.js';
export { GrowingBuffer } from './growing-buffer.js';
export { type HeaderField, headerOf, readHeaderFields } from './header-fields.js';
export { unreadable } from './mail-limits.js';
export { type MailTexts, readTexts } from './mail-texts.js';
export { readDataWhole } from './read-data-whole.js';
export { bytesOf, isText, type Mail, type MailPart, readMail, takeBase64 } from './read-mail.js';
