/** People of a tenant, and those not to write to. */
import { z } from 'zod';
import {
  RECIPIENT_INPUT,
  REPORT_FIELDS,
  SUPPRESSION_INPUT,
  SUPPRESSION_REASONS,
} from '../../../recipients/index.js';
import type { Operations } from './operation.js';
import { anyObject, companyId, paging, query, text } from './shared-schemas.js';

const recipient = z.looseObject({ recipientId: z.uuid(), email: z.string() }).meta({ id: 'Recipient' });
const ofCompany = query({ companyId });
const reported = {
  companyId: companyId.nullish(),
  at: REPORT_FIELDS.at.schema.nullish().describe('when it was; now, if it is not said'),
};

export const peopleOperations: Operations = {
  'POST /v1/recipients': {
    summary: 'Write down people; those known by externalId or email are changed where something is said.',
    body: z.strictObject({ companyId: companyId.nullish(), recipients: z.array(RECIPIENT_INPUT).max(1000) }),
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
      200: z.strictObject({ created: z.int(), updated: z.int(), recipients: z.array(anyObject) }),
    },
  },
  'GET /v1/recipients': {
    summary: 'People, a page at a time.',
    query: query({ companyId, status: z.string(), ...paging }),
    answers: { 200: z.looseObject({ recipients: z.array(recipient), nextCursor: z.string().nullable() }) },
  },
  'GET /v1/recipients/:person': {
    summary: 'One person: by id, `external:` and your own id, or address.',
    ...{ query: ofCompany, answers: { 200: recipient } },
  },
  'DELETE /v1/recipients/:person': {
    summary: 'Forget one person.',
    ...{ query: ofCompany, answers: { 204: null } },
  },
  'POST /v1/recipients/:person/check-ins': {
    summary: 'They checked in; streaks count from it.',
    body: z.strictObject(reported),
    ...{ example: { companyId: 'default', at: '2026-01-31T09:00:00Z' }, answers: { 200: anyObject } },
  },
  'POST /v1/recipients/:person/activities': {
    summary: 'They did something.',
    body: z.strictObject({ ...reported, kind: REPORT_FIELDS.kind.schema.nullish() }),
    example: { companyId: 'default', at: '2026-01-31T09:00:00Z', kind: 'visit' },
    answers: { 204: null },
  },
  'POST /v1/suppressions': {
    summary: 'Add addresses not to write to.',
    body: z.strictObject({
      companyId: companyId.nullish(),
      suppressions: z.array(SUPPRESSION_INPUT).max(1000),
    }),
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
    query: query({ companyId, reason: z.enum(SUPPRESSION_REASONS), limit: paging.limit, cursor: z.string() }),
    answers: { 200: z.looseObject({ suppressions: z.array(anyObject) }) },
  },
  'GET /v1/suppressions/export': {
    summary: 'The whole list as CSV or NDJSON.',
    query: query({ companyId, reason: z.enum(SUPPRESSION_REASONS), format: z.enum(['csv', 'ndjson']) }),
    answers: { 200: 'text/csv' },
  },
  'POST /v1/suppressions/import': {
    summary:
      'A whole list as text/csv or application/x-ndjson, of any length; looked through alone with dryRun.',
    query: query({ companyId, dryRun: z.enum(['true', 'false']), skipRefused: z.enum(['true', 'false']) }),
    ...{ bodyType: 'text/csv', answers: { 200: anyObject } },
  },
  'GET /v1/suppressions/:email': {
    summary: 'Why an address is not written to.',
    ...{ query: ofCompany, answers: { 200: z.strictObject({ suppressions: z.array(anyObject) }) } },
  },
  'DELETE /v1/suppressions/:email': {
    summary: 'Write to it again.',
    query: query({ companyId, reason: z.enum(SUPPRESSION_REASONS), category: text(64) }),
    answers: { 200: z.strictObject({ removed: z.number() }) },
  },
};
