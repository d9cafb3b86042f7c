/**
 * The routes over the rooms of one store: everything but health, the document, and who may do what. Rooms that are
 * absent leave their routes out.
 */
import type { Hono } from 'hono';
import type { Clock } from '../../kernel/index.js';
import { alertRoutes } from './alert-routes.js';
import { attachmentRoutes } from './attachment-routes.js';
import { broadcastRoutes } from './broadcast-routes.js';
import { brokerRoutes } from './broker-routes.js';
import { busRoutes } from './bus-routes.js';
import { deadLetterRoutes } from './dead-letter-routes.js';
import { emailDetailRoutes } from './email-detail-routes.js';
import { emailListRoutes } from './email-list-routes.js';
import { emailRoutes } from './email-routes.js';
import { figureRoutes } from './figure-routes.js';
import { hookRoutes } from './hook-routes.js';
import type { HttpRooms } from './http-rooms.js';
import { limitRoutes } from './limit-routes.js';
import { logRoutes } from './log-routes.js';
import { pauseRoutes } from './pause-routes.js';
import { recipientRoutes } from './recipient-routes.js';
import type { HttpEnv } from './request-context.js';
import { resendRoutes } from './resend/index.js';
import { scheduleRoutes } from './schedule-routes.js';
import { suppressionRoutes } from './suppression-routes.js';
import { templateRoutes } from './template-routes.js';
import { unsubscribeRoutes } from './unsubscribe-routes.js';
import { webhookRoutes } from './webhook-routes.js';

export function mountRooms(app: Hono<HttpEnv>, rooms: HttpRooms, { clock }: { clock: Clock }): void {
  if (rooms.operations) {
    app.route('/', logRoutes(rooms.operations));
    app.route('/', emailListRoutes(rooms.operations));
    if (rooms.details) app.route('/', emailDetailRoutes(rooms.details, rooms.operations));
    app.route('/', deadLetterRoutes(rooms.operations, rooms.timeline));
  }
  if (rooms.figures) app.route('/', figureRoutes(rooms.figures));
  if (rooms.alerts) app.route('/', alertRoutes(rooms.alerts));
  if (rooms.broker) app.route('/', brokerRoutes(rooms.broker));
  if (rooms.bus) app.route('/', busRoutes(rooms.bus));
  if (rooms.attachments) app.route('/', attachmentRoutes(rooms.attachments));
  if (rooms.pauses) app.route('/', pauseRoutes(rooms.pauses));
  app.route('/', emailRoutes(rooms, clock));
  if (rooms.recipients) app.route('/', recipientRoutes(rooms.recipients));
  if (rooms.templates) app.route('/', templateRoutes(rooms.templates));
  if (rooms.schedules) app.route('/', scheduleRoutes(rooms.schedules));
  if (rooms.broadcasts) app.route('/', broadcastRoutes(rooms.broadcasts));
  if (rooms.limits) app.route('/', limitRoutes(rooms.limits));
  if (rooms.suppressions) app.route('/', suppressionRoutes(rooms.suppressions));
  if (rooms.hooks) app.route('/', hookRoutes(rooms.hooks));
  if (rooms.webhooks) app.route('/', webhookRoutes(rooms.webhooks));
  if (rooms.unsubscribe) app.route('/', unsubscribeRoutes(rooms.unsubscribe));
  if (rooms.resend) app.route('/resend', resendRoutes({ rooms: rooms.resend, clock }));
}
