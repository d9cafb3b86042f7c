import { CopyRows, type Queryable } from '../store/index.js';
import { hashContent } from './hash-content.js';
import type { NewEmail } from './new-email.js';
import { attachmentsJson, firstAddressOf, HIDDEN_SUBJECT, messageJson } from './written-form.js';

/**
 * Writes many accepted emails by COPY, the same rows as the statement with lists: the server fills pages with rows as
 * they come instead of making them of lists first, which takes it a quarter less. What depends on the server's clock or
 * on more tables goes the other way.
 */
export function canCopy(tx: Queryable, emails: readonly NewEmail[]): tx is CopyingQueryable {
  return (
    tx.copy !== undefined &&
    emails.length >= COPIED_FROM &&
    emails.every((email) => email.scheduledAt === null && email.suppressed === null)
  );
}

type CopyingQueryable = Queryable & Required<Pick<Queryable, 'copy'>>;

/** From here on it is known to cost less than lists (docs/decisions/0013); a few are not worth three statements. */
const COPIED_FROM = 16;

/** Everything but asking the database, which the function that is returned does, once. */
export function prepareCopy(tx: CopyingQueryable, emails: readonly NewEmail[]): () => Promise<void> {
  const rows = new CopyRows(expectedBytes(emails));
  rows.beginTable(EMAILS.length);
  for (const email of emails) addEmail(rows, email);
  rows.endTable();
  rows.beginTable(BODIES.length);
  const sizes = emails.map((email) => addBody(rows, email));
  rows.endTable();
  rows.beginTable(QUEUE.length);
  for (const [at, email] of emails.entries()) addQueued(rows, email, { bytes: sizes[at]!, bell: at === 0 });
  rows.endTable();
  return async () => {
    await tx.copy(COPY, rows);
    // Not after a failure: what the server has not answered may still be on its way to it.
    rows.release();
  };
}

const EMAILS = [
  'id',
  'tenant',
  'type',
  'lang',
  'user_id',
  'recipient_id',
  'recipient_external_id',
  'to_address',
  'subject',
  'message',
  'metadata',
  'priority',
  'delivery',
  'retry',
  'max_attempts',
  'route',
  'request_id',
  'expires_at',
  'content_hash',
  'sensitive',
];

function addEmail(rows: CopyRows, email: NewEmail): void {
  rows.row();
  rows.uuid(email.id);
  rows.text(email.tenant);
  rows.text(email.type);
  rows.text(email.lang);
  rows.text(email.userId);
  rows.uuid(email.recipientId);
  rows.text(email.recipientExternalId);
  rows.text(firstAddressOf(email));
  rows.text(email.sensitive ? HIDDEN_SUBJECT : email.subject);
  rows.json(messageJson(email));
  rows.json(JSON.stringify(email.metadata));
  rows.smallint(email.priority);
  rows.text(email.delivery);
  rows.text(email.retry);
  rows.smallint(email.maxAttempts);
  rows.text(email.route);
  rows.text(email.requestId);
  rows.time(email.expiresAt);
  rows.bytes(hashContent(email));
  rows.boolean(email.sensitive);
}

const BODIES = ['email_id', 'html', 'text', 'attachments', 'subject'];

/** Returns the size of the content. */
function addBody(rows: CopyRows, email: NewEmail): number {
  rows.row();
  rows.uuid(email.id);
  let bytes = rows.text(email.html) + rows.text(email.text);
  rows.json(attachmentsJson(email)?.join('') ?? null);
  rows.text(email.sensitive ? email.subject : null);
  for (const { content } of email.attachments) bytes += content.length;
  return bytes;
}

const QUEUE = [
  'id',
  'expires_at',
  'bytes',
  'max_attempts',
  'priority',
  'ready',
  'at_most_once',
  'bell',
  'route',
  'tenant',
];

function addQueued(rows: CopyRows, email: NewEmail, { bytes, bell }: { bytes: number; bell: boolean }): void {
  rows.row();
  rows.uuid(email.id);
  rows.time(email.expiresAt);
  rows.integer(bytes);
  rows.smallint(email.maxAttempts);
  rows.smallint(email.priority);
  rows.boolean(true);
  rows.boolean(email.delivery === 'at-most-once');
  rows.boolean(bell);
  rows.text(email.route);
  rows.text(email.tenant);
}

const COPY = `
  copy postrider.emails (${EMAILS.join(', ')}) from stdin (format binary);
  copy postrider.email_bodies (${BODIES.join(', ')}) from stdin (format binary);
  copy postrider.email_queue (${QUEUE.join(', ')}) from stdin (format binary)`;

const BESIDE_BODIES = 1024;

function expectedBytes(emails: readonly NewEmail[]): number {
  let bytes = 0;
  for (const { html, text } of emails) bytes += html.length + text.length + BESIDE_BODIES;
  return Math.min(bytes, MOST_AT_ONCE);
}

const MOST_AT_ONCE = 1024 * 1024;
