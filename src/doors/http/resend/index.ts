/** The Resend API under `/resend`, for the official client with another base URL. */
import { Hono } from 'hono';
import type { HttpEnv } from '../request-context.js';
import { resendAttachmentRoutes } from './attachment-routes.js';
import { type ResendRouteOptions, resendEmailRoutes } from './email-routes.js';

export function resendRoutes(options: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  for (const part of [resendEmailRoutes, resendAttachmentRoutes]) routes.route('/', part(options));
  return routes;
}
