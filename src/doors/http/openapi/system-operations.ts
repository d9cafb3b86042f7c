/** The process itself: probes, metrics, this document, and the page behind unsubscribe links. */
import { z } from 'zod';
import { METRICS_QUERY } from '../list-queries.js';
import { setting } from './answer-schemas.js';
import type { Operations } from './operation.js';

const readiness = z.strictObject({
  ok: z.boolean(),
  checks: z.record(z.string(), z.strictObject({ ok: z.boolean(), message: z.string().optional() })),
});

export const systemOperations: Operations = {
  'GET /health/live': {
    summary: 'Answers while the process runs.',
    answers: { 200: z.strictObject({ ok: z.literal(true) }) },
  },
  'GET /health/ready': {
    summary: 'Whether it can do its work; 503 with the check that fails.',
    answers: { 200: readiness, 503: readiness },
  },
  'GET /metrics': {
    summary: 'Figures for Prometheus.',
    ...{ query: METRICS_QUERY, answers: { 200: ['text/plain'] } },
  },
  'GET /openapi.json': {
    summary: 'This document.',
    answers: { 200: z.looseObject({ openapi: z.literal('3.1.0') }) },
  },
  'GET /docs': { summary: 'This document as a page.', answers: { 200: ['text/html'] } },
  'GET /admin/settings': {
    summary: 'Every setting with its value, where it came from and its default; secrets masked.',
    answers: { 200: z.strictObject({ settings: z.array(setting) }) },
  },
  'GET /u/:token': {
    summary: 'The page behind an unsubscribe link.',
    answers: { 200: ['text/html'], 404: ['text/html'] },
  },
  'POST /u/:token': {
    summary: 'Unsubscribe, by one click (RFC 8058) or from that page.',
    bodyType: ['application/x-www-form-urlencoded', 'multipart/form-data'],
    answers: { 200: ['text/plain'], 303: null, 404: ['text/html'] },
  },
};
