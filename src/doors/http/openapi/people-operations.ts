/** People of a tenant, and those not to write to. */
import { z } from 'zod';
import { COMPANY_QUERY } from '../list-queries.js';
import { ACTIVITY, CHECK_IN, PEOPLE, PEOPLE_QUERY } from '../recipient-routes.js';
import { SUPPRESSION_QUERIES, SUPPRESSIONS } from '../suppression-routes.js';
import { checkIn, imported, recipient, suppression, upserted } from './answer-schemas.js';
import type { Operations } from './operation.js';

export const peopleOperations: Operations = {
  'POST /v1/recipients': {
    summary: 'Write down people; those known by externalId or email are changed where something is said.',
    body: PEOPLE,
    example: {
      companyId: 'default',
      recipients: [
        {
          ...{ externalId: 'person-7', email: 'ada@example.net', name: 'Ada', language: 'en' },
          ...{ timeZone: 'Europe/Berlin', status: 'active', accountType: 'member' },
          ...{ preferences: { orders: true }, attributes: { plan: 'small' }, reminderFrequency: 'weekly' },
          ...{ lastActiveAt: '2026-01-31T09:00:00Z', lastReminderSentAt: '2026-01-31T09:00:00Z' },
        },
      ],
    },
    answers: {
      200: z.strictObject({ created: z.int(), updated: z.int(), recipients: z.array(upserted) }),
    },
  },
  'GET /v1/recipients': {
    summary: 'People, a page at a time.',
    query: PEOPLE_QUERY,
    answers: { 200: z.strictObject({ recipients: z.array(recipient), nextCursor: z.string().nullable() }) },
  },
  'GET /v1/recipients/:person': {
    summary: 'One person: by id, `external:` and your own id, or address.',
    ...{ query: COMPANY_QUERY, answers: { 200: recipient } },
  },
  'DELETE /v1/recipients/:person': {
    summary: 'Forget one person.',
    ...{ query: COMPANY_QUERY, answers: { 204: null } },
  },
  'POST /v1/recipients/:person/check-ins': {
    summary: 'They checked in; streaks count from it.',
    body: CHECK_IN,
    ...{ example: { companyId: 'default', at: '2026-01-31T09:00:00Z' }, answers: { 200: checkIn } },
  },
  'POST /v1/recipients/:person/activities': {
    summary: 'They did something.',
    body: ACTIVITY,
    example: { companyId: 'default', at: '2026-01-31T09:00:00Z', kind: 'visit' },
    answers: { 204: null },
  },
  'POST /v1/suppressions': {
    summary: 'Add addresses not to write to.',
    body: SUPPRESSIONS,
    example: {
      companyId: 'default',
      suppressions: [
        { email: 'bob@example.net', reason: 'unsubscribe', category: 'orders', note: 'asked by phone' },
      ],
    },
    answers: { 200: z.strictObject({ added: z.int(), known: z.int() }) },
  },
  'GET /v1/suppressions': {
    summary: 'Those not to write to, a page at a time.',
    query: SUPPRESSION_QUERIES.list,
    answers: {
      200: z.strictObject({ suppressions: z.array(suppression), nextCursor: z.string().nullable() }),
    },
  },
  'GET /v1/suppressions/export': {
    summary: 'The whole list as CSV or NDJSON.',
    query: SUPPRESSION_QUERIES.export,
    answers: { 200: ['text/csv', 'application/x-ndjson'] },
  },
  'POST /v1/suppressions/import': {
    summary:
      'A whole list as text/csv or application/x-ndjson, of any length; looked through alone with dryRun.',
    query: SUPPRESSION_QUERIES.import,
    ...{ bodyType: ['text/csv', 'application/x-ndjson'], answers: { 200: imported } },
  },
  'GET /v1/suppressions/:email': {
    summary: 'Why an address is not written to.',
    ...{ query: COMPANY_QUERY, answers: { 200: z.strictObject({ suppressions: z.array(suppression) }) } },
  },
  'DELETE /v1/suppressions/:email': {
    summary: 'Write to it again.',
    query: SUPPRESSION_QUERIES.remove,
    answers: { 200: z.strictObject({ removed: z.int() }) },
  },
};
