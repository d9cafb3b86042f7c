/** Emails: handing in, looking, moving, taking back; for applications, their users and operators. */
import { z } from 'zod';
import { EMAIL_BATCH, EMAIL_INPUT } from '../../../intake/index.js';
import { PERSON } from '../../../outbox/index.js';
import { BROKER_PURGE, BROKER_REQUEUE } from '../broker-routes.js';
import { DISCARD, RETRY } from '../dead-letter-routes.js';
import { CANCEL_MANY } from '../email-list-routes.js';
import { RESCHEDULE } from '../email-routes.js';
import {
  DEAD_LETTER_GROUPS_QUERY,
  DEAD_LETTERS_QUERY,
  EMAIL_EXPORT_QUERY,
  EMAIL_LIST_QUERY,
  EMAIL_LOG_QUERY,
  MESSAGES_QUERY,
  USER_EMAILS_QUERY,
} from '../list-queries.js';
import { erased, stats } from './answer-schemas.js';
import type { Operations } from './operation.js';
import { accepted, attempt, email, event, mailbox, shownInstant } from './shared-schemas.js';

const brokerLetter = z.strictObject({
  messageId: z.string(),
  emailId: z.uuid().nullable(),
  type: z.string().nullable(),
  correlationId: z.string().nullable(),
  retryCount: z.int().nullable(),
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
  failedAt: z.string().nullable(),
  failureType: z.string().nullable(),
  responseCode: z.int().nullable(),
});

const EVERY_FIELD = {
  to: [{ address: 'ada@example.net', name: 'Ada' }],
  subject: 'Your order',
  html: '<p>We are packing it now.</p>',
  text: 'We are packing it now.',
  type: 'order_packed',
  data: { order: 42 },
  from: 'Shop <shop@example.com>',
  replyTo: ['help@example.com'],
  cc: ['bob@example.net'],
  bcc: ['archive@example.com'],
  headers: { 'X-Order': '42' },
  attachments: [
    { filename: 'order.txt', content: 'NDI=', contentType: 'text/plain', contentId: 'order@example.com' },
  ],
  category: 'orders',
  lang: 'en',
  companyId: 'default',
  userId: 'user-7',
  recipient: { externalId: 'person-7', email: 'ada@example.net' },
  priority: 2,
  scheduledAt: '2000-01-31T09:00:00Z',
  delivery: 'at-least-once',
  retry: 'gateway',
  metadata: { campaign: 'none' },
};

const deadLetter = email
  .extend({ contentKept: z.boolean(), mayHaveBeenDelivered: z.boolean() })
  .meta({ id: 'DeadLetter' });
const everyone = z.array(mailbox);
const detail = email.extend({
  history: z.array(attempt),
  envelope: z.strictObject({
    ...{ from: mailbox.nullable(), to: everyone, cc: everyone, bcc: everyone, replyTo: everyone },
    headerRecipients: z.strictObject({ to: everyone, cc: everyone }).nullable(),
    ...{ headers: z.record(z.string(), z.string()), category: z.string().nullable() },
  }),
  content: z.enum(['kept', 'removed', 'hidden']),
});
const sentToUser = z.strictObject({
  ...{ subject: z.string(), type: z.string().nullable(), sentAt: shownInstant, status: z.literal('sent') },
});
// Where there are several regions and the list is of all of them.
const ofAll = {
  complete: z.boolean().optional(),
  regions: z
    .array(z.strictObject({ region: z.string(), ok: z.boolean(), code: z.string().optional() }))
    .optional(),
};
const region = { region: z.string().optional() };
const page = z.strictObject({
  ...{ emails: z.array(email.extend(region)), nextCursor: z.uuid().nullable() },
  ...ofAll,
});
const files = z.array(
  z.strictObject({
    ...{ index: z.int(), filename: z.string(), contentType: z.string(), contentId: z.string().nullable() },
    bytes: z.int(),
  }),
);
const report = z.strictObject({
  ...{ retried: z.int(), refused: z.record(z.string(), z.int()) },
  examples: z.array(z.strictObject({ emailId: z.uuid(), reason: z.string() })),
});
const group = z.strictObject({
  ...{ errorCode: z.string().nullable(), status: z.string(), count: z.int(), newestId: z.uuid() },
});
const anId = '01a1def1-9ed6-7000-8fe3-719f10b82e28';

export const emailOperations: Operations = {
  'POST /v1/email/send': {
    summary: 'Accept one email. What is answered with 202 is durable.',
    ...{ body: EMAIL_INPUT, example: EVERY_FIELD, answers: { 202: accepted } },
    headers: ['Idempotency-Key'],
  },
  'POST /v1/email/batch': {
    summary: 'Accept up to 1,000 emails, all or none.',
    body: EMAIL_BATCH,
    example: [EVERY_FIELD],
    answers: { 202: z.strictObject({ emails: z.array(accepted) }) },
    headers: ['Idempotency-Key'],
  },
  'GET /v1/emails': {
    summary: 'Emails by filter, the newest first.',
    ...{ query: EMAIL_LIST_QUERY, answers: { 200: page } },
  },
  'GET /v1/emails/:id': { summary: 'One email and what became of it.', answers: { 200: email } },
  'GET /v1/emails/:id/events': {
    summary: 'Everything that happened to it, in order.',
    answers: { 200: z.array(event) },
  },
  'GET /v1/emails/:id/attachments': {
    summary: 'The files it was sent with.',
    answers: { 200: z.strictObject({ attachments: files }) },
  },
  'GET /v1/emails/:id/attachments/:index': {
    summary: 'One file, to download.',
    answers: { 200: ['*/*'] },
  },
  'PATCH /v1/emails/:id': {
    summary: 'Give it another time, until its attempt has begun.',
    ...{
      body: RESCHEDULE,
      example: { scheduledAt: '2000-01-31T09:00:00Z' },
    },
    answers: { 200: email },
  },
  'POST /v1/emails/:id/cancel': {
    summary: 'Take it back, until its attempt has begun.',
    answers: { 200: email },
  },
  'GET /api/profile/emails': {
    summary: 'What a user of the application was sent, by a token the application signed.',
    query: USER_EMAILS_QUERY,
    answers: {
      200: z.strictObject({
        ...{ emails: z.array(sentToUser), total: z.int(), more: z.boolean() },
        ...{ page: z.int(), pages: z.int() },
      }),
    },
  },
  'GET /admin/emails': {
    summary: 'The log with every attempt and statistics, 50 a page.',
    query: EMAIL_LOG_QUERY,
    answers: {
      200: z.strictObject({
        emails: z.array(email.extend({ history: z.array(attempt), ...region })),
        ...ofAll,
        ...{ page: z.int().optional(), limit: z.int(), nextCursor: z.uuid().nullable(), stats },
      }),
    },
  },
  'GET /admin/emails/export': {
    summary: 'Every email of a filter as CSV.',
    query: EMAIL_EXPORT_QUERY,
    answers: { 200: ['text/csv'] },
  },
  'GET /admin/emails/:id': {
    summary: 'One email with every attempt, whom it was for, and whether its content is there.',
    answers: { 200: detail.extend({ attachments: files }) },
  },
  'GET /admin/emails/:id/content': {
    summary: 'What was in it; 410 once removed, 403 where its type is sensitive.',
    answers: { 200: z.strictObject({ html: z.string().nullable(), text: z.string().nullable() }) },
  },
  'GET /admin/emails/:id/html': {
    summary: 'Its HTML for a frame, where it can run nothing and load nothing.',
    answers: { 200: ['text/html'] },
  },
  'POST /admin/emails/:id/resend': {
    summary: 'The same once more, as a new email.',
    headers: ['Idempotency-Key', 'X-Request-Id'],
    answers: { 202: accepted },
  },
  'POST /admin/emails/cancel': {
    summary: 'Take back every waiting email a filter means; dryRun counts.',
    body: CANCEL_MANY,
    example: { filter: { type: 'weekly_focus', recipient: 'ada@example.net' }, dryRun: true },
    answers: { 200: z.strictObject({ matching: z.int(), cancelled: z.int(), dryRun: z.boolean() }) },
  },
  'POST /admin/erasures': {
    summary: 'Take one person out of everything.',
    body: PERSON,
    example: { email: 'ann@example.com', companyId: 'default' },
    answers: { 200: erased },
  },
  'GET /admin/dead-letters': {
    summary: 'What ended in failed or unknown.',
    query: DEAD_LETTERS_QUERY,
    answers: {
      200: z.strictObject({ deadLetters: z.array(deadLetter), nextCursor: z.uuid().nullable() }),
    },
  },
  'GET /admin/dead-letters/groups': {
    summary: 'How many of each error.',
    query: DEAD_LETTER_GROUPS_QUERY,
    answers: { 200: z.strictObject({ groups: z.array(group) }) },
  },
  'GET /admin/dead-letters/:id': {
    summary: 'One, with its events.',
    answers: { 200: deadLetter.extend({ events: z.array(event) }) },
  },
  'POST /admin/dead-letters/retry': {
    summary: 'Another round for those named or meant, each at most once.',
    body: RETRY.many,
    example: { emailIds: [anId], acceptDuplicates: false },
    answers: { 200: report },
  },
  'POST /admin/dead-letters/discard': {
    summary: 'Take those named or meant off the list.',
    body: DISCARD.many,
    example: { emailIds: [anId], reason: 'too late' },
    answers: { 200: z.strictObject({ discarded: z.int() }) },
  },
  'POST /admin/dead-letters/:id/retry': {
    summary: 'Another round for one.',
    body: RETRY.one,
    ...{ bodyOptional: true, example: { acceptDuplicates: true } },
    answers: { 202: z.strictObject({ emailId: z.uuid(), retried: z.boolean() }) },
  },
  'POST /admin/dead-letters/:id/discard': {
    summary: 'Take one off the list.',
    body: DISCARD.one,
    ...{ bodyOptional: true, example: { reason: 'too late' } },
    answers: { 200: z.strictObject({ emailId: z.uuid(), discarded: z.boolean() }) },
  },
  'GET /admin/broker/dead-letters': {
    summary: "What stands in the broker's dead-letter queue, the oldest first, without bodies.",
    query: MESSAGES_QUERY,
    answers: { 200: z.strictObject({ total: z.int(), messages: z.array(brokerLetter) }) },
  },
  'POST /admin/broker/dead-letters/requeue': {
    summary: 'Put messages back: an email gets another round, a message of another service is read again.',
    body: BROKER_REQUEUE,
    example: { messageIds: ['order-4711'] },
    answers: {
      200: z.strictObject({
        requeued: z.int(),
        refused: z.array(z.strictObject({ messageId: z.string(), reason: z.string() })),
        notFound: z.array(z.string()),
      }),
    },
  },
  'POST /admin/broker/dead-letters/purge': {
    summary: "Remove messages from the broker's dead-letter queue for good; the ledger keeps its own.",
    body: BROKER_PURGE,
    example: { messageIds: ['order-4711'] },
    answers: { 200: z.strictObject({ purged: z.int(), notFound: z.array(z.string()) }) },
  },
};
