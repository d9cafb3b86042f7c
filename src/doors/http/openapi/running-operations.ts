/** How the system runs: pauses, routes, templates, recurring emails, limits; for operators. */
import { z } from 'zod';
import { COUNTED_BY, QUOTA_AMOUNT, RATE_LIMIT_CHANGE } from '../../../policy/index.js';
import { TEMPLATE_INPUTS } from '../../../render/index.js';
import { BUS_RETRY } from '../bus-routes.js';
import { FIGURES_QUERY } from '../figure-routes.js';
import { BROADCASTS_QUERY, COMPANY_QUERY, MESSAGES_QUERY, QUOTAS_QUERY } from '../list-queries.js';
import { PAUSE, RESUME_QUERY } from '../pause-routes.js';
import { RUNS_QUERY } from '../schedule-routes.js';
import { PREVIEW_QUERY } from '../template-routes.js';
import {
  alert,
  broadcast,
  figures,
  flow,
  overview,
  pause,
  preview,
  route,
  run,
  schedule,
  templateContent,
  templateSummary,
  templateType,
  templateVersion,
  wholeBroadcast,
} from './answer-schemas.js';
import type { Operations } from './operation.js';
import { instant } from './shared-schemas.js';

const rateLimit = z.strictObject({
  ...{ type: z.string(), companyId: z.string().nullable(), limit: z.int().nullable() },
  ...{ windowSeconds: z.int().nullable(), source: z.string() },
});
const quota = z.strictObject({
  ...{ companyId: z.string(), period: z.enum(['day', 'month']), limit: z.int(), used: z.int() },
  ...{ remaining: z.int(), resetAt: instant },
});
const anEmailType = { subject: 'Welcome', htmlContent: '<p>Hello</p>', textContent: 'Hello' };

const busLetter = z.strictObject({
  id: z.string().nullable(),
  type: z.string().nullable(),
  source: z.string().nullable(),
  occurredAt: z.string().nullable(),
  originalQueue: z.string().nullable(),
  finalStatusCode: z.int().nullable(),
  finalError: z.string().nullable(),
  finalRetryCount: z.int().nullable(),
});

export const runningOperations: Operations = {
  'GET /admin/overview': { summary: 'What waits and who works, at a glance.', answers: { 200: overview } },
  'GET /admin/alerts': {
    summary: 'What is wrong now and was lately: open alerts, then the latest that ended.',
    answers: { 200: z.strictObject({ alerts: z.array(alert) }) },
  },
  'GET /admin/flow': {
    summary: 'What was accepted, sent, put off and failed, second by second; and the queue.',
    answers: { 200: flow },
  },
  'GET /admin/figures': {
    summary: 'How it went over some hours: in steps, how long it took, which types fail.',
    query: FIGURES_QUERY,
    answers: { 200: figures },
  },
  'GET /admin/routes': {
    summary: 'The ways out, their circuits, and how many emails wait for each.',
    answers: { 200: z.strictObject({ routes: z.array(route) }) },
  },
  'GET /admin/pauses': {
    summary: 'What is held back.',
    answers: { 200: z.strictObject({ pauses: z.array(pause) }) },
  },
  'PUT /admin/pauses': {
    summary: 'Hold back all, a tenant, a type or a route.',
    ...{ body: PAUSE, example: { scope: 'type', value: 'weekly_focus', reason: 'a wrong price' } },
    answers: { 200: pause },
  },
  'DELETE /admin/pauses': {
    summary: 'Lift a pause.',
    query: RESUME_QUERY,
    answers: { 200: z.strictObject({ scope: z.string(), value: z.string(), broughtBack: z.int() }) },
  },
  'GET /admin/templates': {
    summary: "Types, and companies' own versions of them.",
    query: COMPANY_QUERY,
    answers: { 200: z.strictObject({ types: z.array(templateType), overrides: z.array(templateSummary) }) },
  },
  'GET /admin/templates/:type/:lang': {
    summary: 'The versions of one, the newest first.',
    query: COMPANY_QUERY,
    answers: { 200: z.strictObject({ versions: z.array(templateVersion), own: templateContent }) },
  },
  'GET /admin/templates/:type/:lang/preview': {
    summary: 'What would be sent, or a version, with the sample data of the type.',
    query: PREVIEW_QUERY,
    answers: { 200: preview },
  },
  'PUT /admin/templates/:type/:lang/draft': {
    summary: 'Save a draft; a broken one is refused with line and reason.',
    body: TEMPLATE_INPUTS.draft,
    example: { ...anEmailType, companyId: 'default', updatedBy: 'Ada' },
    answers: { 200: templateVersion },
  },
  'DELETE /admin/templates/:type/:lang/draft': {
    summary: 'Throw the draft away.',
    ...{ query: COMPANY_QUERY, answers: { 204: null } },
  },
  'POST /admin/templates/:type/:lang/preview': {
    summary: 'Render it with sample data or other.',
    body: TEMPLATE_INPUTS.preview,
    ...{ bodyOptional: true, example: { companyId: 'default', content: anEmailType } },
    answers: { 200: preview },
  },
  'POST /admin/templates/:type/:lang/publish': {
    summary: 'The draft becomes what is sent.',
    ...{ body: TEMPLATE_INPUTS.publish, bodyOptional: true },
    ...{ example: { companyId: 'default', updatedBy: 'Ada' }, answers: { 200: templateVersion } },
  },
  'POST /admin/templates/:type/:lang/roll-back': {
    summary: 'Publish an earlier version again.',
    body: TEMPLATE_INPUTS.rollBack,
    ...{ bodyOptional: true, example: { companyId: 'default', updatedBy: 'Ada', version: 1 } },
    answers: { 200: templateVersion },
  },
  'POST /admin/templates/:type/:lang/active': {
    summary: "Use the published version, or the code's own content.",
    body: TEMPLATE_INPUTS.active,
    example: { companyId: 'default', updatedBy: 'Ada', isActive: false },
    answers: { 200: templateVersion },
  },
  'GET /admin/schedules': {
    summary: 'Recurring emails.',
    answers: { 200: z.strictObject({ schedules: z.array(schedule) }) },
  },
  'GET /admin/schedules/:name/runs': {
    summary: 'What came of its runs.',
    query: RUNS_QUERY,
    answers: { 200: z.strictObject({ runs: z.array(run) }) },
  },
  'POST /admin/schedules/:name/pause': { summary: 'Stop firing it.', answers: { 200: schedule } },
  'POST /admin/schedules/:name/resume': { summary: 'Fire it again.', answers: { 200: schedule } },
  'POST /admin/schedules/:name/run': {
    summary: 'Run it now.',
    answers: { 202: z.strictObject({ runs: z.array(run) }) },
  },
  'GET /admin/broadcasts': {
    summary: 'Emails to whole segments, of every company or one, with how far they have come.',
    query: BROADCASTS_QUERY,
    answers: { 200: z.strictObject({ broadcasts: z.array(broadcast), nextCursor: z.string().nullable() }) },
  },
  'GET /admin/broadcasts/:broadcast': { summary: 'One with its content.', answers: { 200: wholeBroadcast } },
  'POST /admin/broadcasts/:broadcast/cancel': {
    summary: 'Take one back that has not begun; it is a draft again.',
    answers: { 200: wholeBroadcast },
  },
  'GET /admin/rate-limits': {
    summary: 'How often one recipient may get a type.',
    ...{ query: COMPANY_QUERY, answers: { 200: z.strictObject({ rateLimits: z.array(rateLimit) }) } },
  },
  'PUT /admin/rate-limits/:type': {
    summary: 'Set a limit, or none (limit null), for all or one company.',
    body: RATE_LIMIT_CHANGE,
    example: { limit: 5, windowSeconds: 3600, companyId: 'default' },
    answers: { 200: rateLimit },
  },
  'DELETE /admin/rate-limits/:type': {
    summary: 'Back to what the type declares.',
    query: COMPANY_QUERY,
    answers: {
      200: z.strictObject({
        ...{ type: z.string(), companyId: z.string().optional(), removed: z.literal(true) },
      }),
    },
  },
  'POST /admin/rate-limits/check': {
    summary: 'Whether a user or an address may get a type now.',
    body: COUNTED_BY,
    example: { address: 'ada@example.net', type: 'welcome', companyId: 'default' },
    answers: {
      200: z.strictObject({
        ...{ allowed: z.boolean(), limit: z.int().nullable(), remaining: z.int().nullable() },
        resetAt: instant.nullable(),
      }),
    },
  },
  'POST /admin/rate-limits/reset': {
    summary: 'Count a user or an address anew, so that the next email of the type may go.',
    body: COUNTED_BY,
    example: { userId: 'user_1', type: 'welcome', companyId: 'default' },
    answers: { 200: z.strictObject({ counted: z.int().describe('How many emails had been counted.') }) },
  },
  'GET /admin/quotas': {
    summary: 'How many emails companies may send, and have, by company.',
    query: QUOTAS_QUERY,
    answers: { 200: z.strictObject({ quotas: z.array(quota), nextCursor: z.string().nullable() }) },
  },
  'PUT /admin/quotas/:companyId/:period': {
    summary: 'Set a quota per day or month.',
    body: QUOTA_AMOUNT,
    ...{ example: { limit: 1000 }, answers: { 200: quota } },
  },
  'DELETE /admin/quotas/:companyId/:period': {
    summary: 'Remove a quota.',
    answers: {
      200: z.strictObject({ companyId: z.string(), period: quota.shape.period, removed: z.literal(true) }),
    },
  },
  'GET /admin/bus': {
    summary: 'How many events of emails wait for the event bus; null where none are noted.',
    answers: { 200: z.strictObject({ service: z.string(), waiting: z.int().nullable() }) },
  },
  'GET /admin/bus/dead-letters': {
    summary: 'Events of other services that could not be taken, the oldest first, without their data.',
    query: MESSAGES_QUERY,
    answers: { 200: z.strictObject({ messages: z.array(busLetter) }) },
  },
  'POST /admin/bus/dead-letters/retry': {
    summary: 'Put events back into the queue; each gets one more try.',
    body: BUS_RETRY,
    example: { messageIds: ['01a1dfd1-257c-7000-be5f-9fa3e495c256'] },
    answers: {
      200: z.strictObject({ retried: z.int(), left: z.int(), notFound: z.array(z.string()) }),
    },
  },
};
