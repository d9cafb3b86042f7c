/**
 * The HTTP door as one Hono app: context, guard, routes, and an answer for everything else.
 * Every refusal is a problem with a code of the error table; nothing an error says inside leaves the process.
 */
import { Hono } from 'hono';
import type { Access } from '../../access/index.js';
import { type Clock, type Logger, PostriderError } from '../../kernel/index.js';
import { dashboardRoutes } from '../dashboard/index.js';
import { type Inbox, inboxRoutes } from '../inbox/index.js';
import { type Preview, previewRoutes } from '../preview/index.js';
import { accessGuard } from './access-guard.js';
import { accessRoutes } from './access-routes.js';
import { authRoutes } from './auth-routes.js';
import { guardRoutes } from './guard-routes.js';
import { healthRoutes } from './health-routes.js';
import type { HttpRooms } from './http-rooms.js';
import { mountRooms } from './mount-rooms.js';
import { openApiRoutes } from './openapi/openapi-routes.js';
import { asPostriderError } from './problem.js';
import { bodyOf, readBytes } from './read-body.js';
import { readJsonBody } from './read-json-body.js';
import { refusal, refusing } from './refusal.js';
import { refuseOtherMethods } from './refuse-other-methods.js';
import { type RegionRooms, regionGate } from './region-gate.js';
import { type HttpEnv, requestContext } from './request-context.js';
import { countMemory } from './request-memory.js';
import { sessionRoutes } from './session-routes.js';
import { settingsRoutes } from './settings-routes.js';

export interface HttpAppOptions {
  rooms: HttpRooms;
  logger: Logger;
  clock: Clock;
  /** The operator's own, as `Authorization: Bearer`; without it connections from loopback are root and all others are refused. */
  apiKey?: string | null;
  /** What the audit log calls whoever has that key, or is on that loopback. */
  rootName?: string;
  /** Tenants' keys, sessions, and the routes about them. */
  access?: Access;
  /** How many proxies stand in front and add to X-Forwarded-For. */
  trustedProxies?: number;
  bodyLimitBytes: number;
  /** Where there are several stores; `rooms` are those of the home region. */
  regions?: RegionRooms;
  /** The development inbox, a page of the dashboard. */
  inbox?: Inbox;
  /** The templates, with their page at `/dev/templates`. */
  preview?: Preview;
}

export function createHttpApp(options: HttpAppOptions): Hono<HttpEnv> {
  const { rooms, logger, clock, inbox, preview } = options;
  const guard = accessGuard(options.apiKey ?? undefined);
  const app = new Hono<HttpEnv>();

  app.onError(refusing(logger));
  app.notFound((c) => refusal(new PostriderError('NOT_FOUND', 'There is nothing here.'), c));

  app.use(requestContext({ clock, logger, requested: rooms.requested }));
  app.use(async (_c, next) => {
    // Hono hands only Error instances to onError; anything else thrown would end the request bare.
    await next().catch((thrown: unknown) => {
      throw asPostriderError(thrown);
    });
  });
  app.use(
    guardRoutes({
      guard,
      access: options.access,
      rootName: options.rootName ?? (options.apiKey ? 'operator key' : 'loopback'),
      trustedProxies: options.trustedProxies ?? 0,
      bodyLimitBytes: options.bodyLimitBytes,
    }),
  );
  app.use(countMemory(options).middleware);
  app.route('/', healthRoutes(rooms, logger));
  app.route('/', openApiRoutes());
  app.route('/', sessionRoutes({ inbox: inbox !== undefined, preview: preview !== undefined }));
  if (options.access) {
    app.route('/', authRoutes(options.access));
    app.route('/', accessRoutes(options.access));
  }
  if (rooms.settings) app.route('/', settingsRoutes(rooms.settings));
  if (options.regions) app.use(regionGate({ ...options, regions: options.regions }));
  mountRooms(app, rooms, options);
  if (inbox) app.route('/', inboxRoutes(inbox, rooms));
  if (preview) {
    app.route('/', previewRoutes(preview, { accept: rooms.accept, readJson: readJsonBody }));
  }
  app.route(
    '/',
    dashboardRoutes({
      start: inbox ? '/dashboard/inbox' : '/dashboard/',
      readBody: (c) => readBytes(bodyOf(c)),
      holdAnswer: (c, bytes) => c.get('memory').takeForAnswer(bytes),
    }),
  );
  refuseOtherMethods(app);
  return app;
}
