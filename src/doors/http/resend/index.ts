/** The Resend API under `/resend`, for the official client with another base URL. */
import { Hono } from 'hono';
import type { HttpEnv } from '../request-context.js';
import { resendApiKeyRoutes } from './api-key-routes.js';
import { resendAttachmentRoutes } from './attachment-routes.js';
import { resendBroadcastReachRoutes } from './broadcast-reach-routes.js';
import { resendBroadcastRoutes } from './broadcast-routes.js';
import { resendContactPropertyRoutes } from './contact-property-routes.js';
import { resendContactRoutes } from './contact-routes.js';
import { resendDomainRoutes } from './domain-routes.js';
import { type ResendRouteOptions, resendEmailRoutes } from './email-routes.js';
import { resendMetricRoutes } from './metric-routes.js';
import { requestRate } from './request-rate.js';
import { resendSegmentRoutes } from './segment-routes.js';
import { resendShareRoutes } from './share-routes.js';
import { resendSuppressionRoutes } from './suppression-routes.js';
import { resendTemplateRoutes } from './template-routes.js';
import { resendTopicRoutes } from './topic-routes.js';
import { resendUsageRoutes } from './usage-routes.js';
import { resendWebhookRoutes } from './webhook-routes.js';

export function resendRoutes(options: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const { requestsPerSecond: perSecond, defaultCompany } = options.rooms;
  if (perSecond > 0) routes.use(requestRate({ perSecond, defaultCompany, clock: options.clock }));
  for (const part of PARTS) routes.route('/', part(options));
  return routes;
}

const PARTS = [
  // Before the emails, one of which would be called metrics.
  resendMetricRoutes,
  resendEmailRoutes,
  resendAttachmentRoutes,
  resendShareRoutes,
  resendSuppressionRoutes,
  resendApiKeyRoutes,
  resendDomainRoutes,
  resendTemplateRoutes,
  resendContactRoutes,
  resendSegmentRoutes,
  resendTopicRoutes,
  resendContactPropertyRoutes,
  resendBroadcastRoutes,
  resendBroadcastReachRoutes,
  resendWebhookRoutes,
  resendUsageRoutes,
];
