import type { Queryable, TextInPieces } from '../store/index.js';
import { canCopy, prepareCopy } from './copy-emails.js';
import { hashContent } from './hash-content.js';
import type { NewEmail } from './new-email.js';
import { attachmentsJson, firstAddressOf, HIDDEN_SUBJECT, messageJson, sizeOf } from './written-form.js';

/**
 * Writes accepted emails in the given transaction: one statement by lists for a few emails, COPY for many. Only the first
 * ready row rings, so a statement costs one bell. What can be done without the database is done at once; the
 * function that is returned asks it, once: its lists are used again.
 */
export function prepareEmails(tx: Queryable, emails: readonly NewEmail[]): () => Promise<void> {
  if (emails.length === 0) return async () => {};
  if (canCopy(tx, emails)) return prepareCopy(tx, emails);
  const column = (pick: (email: NewEmail) => string | number | null): unknown => {
    const list = emails.map(pick);
    return tx.list?.(list) ?? list;
  };
  const texts = (pick: (email: NewEmail) => TextInPieces | null): unknown => {
    const list = emails.map(pick);
    return tx.textArray?.(list) ?? list.map((text) => (Array.isArray(text) ? text.join('') : text));
  };
  const values = [
    column((e) => e.id),
    column((e) => e.tenant),
    column((e) => e.type),
    column((e) => e.lang),
    column((e) => e.userId),
    column((e) => e.recipientId),
    column((e) => e.recipientExternalId),
    column(firstAddressOf),
    texts((e) => e.subject),
    texts(messageJson),
    texts((e) => JSON.stringify(e.metadata)),
    column((e) => e.priority),
    column((e) => e.delivery),
    column((e) => e.retry),
    column((e) => e.maxAttempts),
    column((e) => e.route),
    column((e) => e.requestId),
    column((e) => e.scheduledAt?.toISOString() ?? null),
    column((e) => e.expiresAt?.toISOString() ?? null),
    texts((e) => hashContent(e)),
    texts((e) => e.html),
    texts((e) => e.text),
    texts(attachmentsJson),
    column(sizeOf),
    // as text: postgres.js takes a list of booleans for one
    column((e) => String(e.sensitive)),
    column((e) => (e.suppressed ? JSON.stringify(e.suppressed) : null)),
  ];
  return async () => {
    await tx.query(WRITE, values);
    // Not after a failure: what the server has not answered may still be on its way to it.
    if (tx.release) for (const list of values) tx.release(list);
  };
}

// The first ready position is a value of its own, found once: joined, a plan that expects few rows looked it up for
// each of them, which took half the time of a batch.
const WRITE = {
  name: 'outbox_write_emails',
  text: `
    with input as materialized (
      select *, scheduled_at is not null and scheduled_at > now() as waits
      from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::text[], $8::text[],
        $9::text[], $10::text[], $11::text[], $12::smallint[], $13::text[], $14::text[], $15::smallint[],
        $16::text[], $17::text[], $18::timestamptz[], $19::timestamptz[], $20::text[], $21::text[], $22::text[],
        $23::text[], $24::integer[], $25::text[], $26::text[])
        with ordinality as i(id, tenant, type, lang, user_id, recipient_id, recipient_external_id, to_address,
          subject, message, metadata, priority, delivery, retry, max_attempts, route, request_id, scheduled_at,
          expires_at, content_hash, html, text, attachments, bytes, sensitive, suppressed, position)
    ), written as (
      insert into postrider.emails (id, tenant, type, lang, user_id, recipient_id, recipient_external_id, to_address,
        subject, message, metadata, priority, delivery, retry, max_attempts, route, request_id, scheduled_at,
        expires_at, content_hash, sensitive)
      select id, tenant, type, lang, user_id, recipient_id, recipient_external_id, to_address,
        case when sensitive::boolean then '${HIDDEN_SUBJECT}' else subject end,
        message::jsonb, metadata::jsonb, priority, delivery, retry, max_attempts, route, request_id, scheduled_at,
        expires_at, decode(content_hash, 'hex'), sensitive::boolean
      from input
    ), bodies as (
      insert into postrider.email_bodies (email_id, html, text, attachments, subject)
      select id, html, text, attachments::jsonb, case when sensitive::boolean then subject end from input
    ), facts as (
      insert into postrider.email_facts (email_id, type, final_status, detail)
      select id, 'SUPPRESSED', 'suppressed', suppressed::jsonb from input where suppressed is not null
    )
    insert into postrider.email_queue (id, due_at, expires_at, bytes, max_attempts, priority, ready, scheduled, at_most_once,
      bell, route, tenant)
    select id, case when waits then scheduled_at end, expires_at, bytes, max_attempts, priority, not waits, waits,
      delivery = 'at-most-once', coalesce(position = (select min(position) from input where not waits and suppressed is null), false), route, tenant
    from input
    where suppressed is null`,
};
