/** Webhooks: a company's own under /v1, any company's under /admin; the same operations twice. */
import { z } from 'zod';
import { WEBHOOK_INPUTS } from '../../../events/index.js';
import { COMPANY_QUERY } from '../list-queries.js';
import { DELIVERIES_QUERY } from '../webhook-routes.js';
import { delivery, webhook, wholeDelivery } from './answer-schemas.js';
import type { Operations } from './operation.js';

const removed = z.strictObject({ id: z.uuid(), removed: z.literal(true) });

const under = (base: string): Operations => ({
  [`GET ${base}`]: {
    summary: 'Where it is told what became of emails.',
    ...{ query: COMPANY_QUERY, answers: { 200: z.strictObject({ webhooks: z.array(webhook) }) } },
  },
  [`POST ${base}`]: {
    summary: 'Add one; its secret is in this answer and in no other.',
    query: COMPANY_QUERY,
    body: WEBHOOK_INPUTS.endpoint,
    example: {
      ...{
        url: 'https://example.com/hooks',
        events: ['email.sent'],
        description: 'Shop',
        companyId: 'default',
      },
    },
    answers: { 201: webhook.extend({ secret: z.string() }) },
  },
  [`GET ${base}/:id`]: { summary: 'One of them.', query: COMPANY_QUERY, answers: { 200: webhook } },
  [`PATCH ${base}/:id`]: {
    summary: 'Change it, or turn it off and on.',
    query: COMPANY_QUERY,
    body: WEBHOOK_INPUTS.change,
    example: {
      ...{ url: 'https://example.com/hooks', events: ['email.sent'], description: 'Shop', status: 'enabled' },
    },
    answers: { 200: webhook },
  },
  [`DELETE ${base}/:id`]: { summary: 'Remove it.', query: COMPANY_QUERY, answers: { 200: removed } },
  [`POST ${base}/:id/rotate`]: {
    summary: 'A new secret; the old one signs along for some hours.',
    ...{ query: COMPANY_QUERY, body: WEBHOOK_INPUTS.rotate },
    ...{ bodyOptional: true, example: { overlapHours: 24 } },
    answers: { 200: z.strictObject({ secret: z.string() }) },
  },
  [`GET ${base}/:id/deliveries`]: {
    summary: 'What was told, the newest first.',
    query: DELIVERIES_QUERY,
    answers: { 200: z.strictObject({ deliveries: z.array(delivery), nextCursor: z.string().nullable() }) },
  },
  [`GET ${base}/:id/deliveries/:delivery`]: {
    summary: 'One of them, with its payload and every request.',
    ...{ query: COMPANY_QUERY, answers: { 200: wholeDelivery } },
  },
  [`POST ${base}/:id/deliveries/:delivery/replay`]: {
    summary: 'Tell it once more.',
    ...{ query: COMPANY_QUERY, answers: { 200: z.strictObject({ replayed: z.int() }) } },
  },
  [`POST ${base}/:id/replay`]: {
    summary: 'Tell a stretch of time once more; what failed, unless said otherwise.',
    query: COMPANY_QUERY,
    body: WEBHOOK_INPUTS.replay,
    example: { since: '2026-01-31T09:00:00Z', until: '2026-01-31T10:00:00Z', status: 'failed' },
    answers: { 200: z.strictObject({ replayed: z.int() }) },
  },
});

export const webhookOperations: Operations = { ...under('/v1/webhooks'), ...under('/admin/webhooks') };
