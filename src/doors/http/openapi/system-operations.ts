/** The process itself: probes, metrics, this document, and the page behind unsubscribe links. */
import { z } from 'zod';
import type { Operations } from './operation.js';
import { anyObject } from './shared-schemas.js';

const checks = z.record(z.string(), z.looseObject({ ok: z.boolean() }));

export const systemOperations: Operations = {
  'GET /health/live': { summary: 'Answers while the process runs.', answers: { 200: anyObject } },
  'GET /health/ready': {
    summary: 'Whether it can do its work; 503 with the check that fails.',
    answers: { 200: z.strictObject({ ok: z.boolean(), checks }) },
  },
  'GET /metrics': { summary: 'Figures for Prometheus.', answers: { 200: 'text/plain' } },
  'GET /openapi.json': { summary: 'This document.', answers: { 200: anyObject } },
  'GET /docs': { summary: 'This document as a page.', answers: { 200: 'text/html' } },
  'GET /admin/settings': {
    summary: 'Every setting with its value, where it came from and its default; secrets masked.',
    answers: { 200: z.strictObject({ settings: z.array(z.looseObject({ key: z.string() })) }) },
  },
  'GET /u/:token': { summary: 'The page behind an unsubscribe link.', answers: { 200: 'text/html' } },
  'POST /u/:token': {
    summary: 'Unsubscribe, by one click (RFC 8058) or from that page.',
    ...{ bodyType: 'application/x-www-form-urlencoded', answers: { 200: 'text/html' } },
  },
};
