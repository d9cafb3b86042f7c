/**
 * Behind the guard, where there are several regions: sends a request to the store it is about. `?region=` names one;
 * a tenant's request goes to the tenant's own; everything else is answered at home. `all` is for lists of emails alone.
 * Who is asking was learned once, at home, and is handed on.
 */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { type Clock, type Logger, PostriderError, unknownRegion } from '../../kernel/index.js';
import type { HttpRooms } from './http-rooms.js';
import { mountRooms } from './mount-rooms.js';
import { refusal, refusing } from './refusal.js';
import type { HttpEnv } from './request-context.js';

export interface RegionRooms {
  readonly names: readonly string[];
  readonly home: string;
  /** The region of a company's own, or null for home. */
  regionOf(companyId: string): Promise<string | null>;
  /** Confined to one region: what it does not have is not looked for elsewhere. */
  only(region: string): HttpRooms;
  /** One region's rooms, with emails found wherever they are. */
  from(region: string): HttpRooms;
}

export interface GateOptions {
  regions: RegionRooms;
  clock: Clock;
  logger: Logger;
}

export function regionGate({ regions, ...options }: GateOptions): MiddlewareHandler<HttpEnv> {
  const apps = new Map<string, Hono<HttpEnv>>();
  const appOf = (kind: 'only' | 'from', region: string): Hono<HttpEnv> => {
    const key = `${kind} ${region}`;
    const app = apps.get(key) ?? handedOn(regions[kind](region), options);
    apps.set(key, app);
    return app;
  };

  return async (c, next) => {
    if (!ABOUT_DATA.test(c.req.path)) return next();
    const asked = c.req.queries('region');
    if (asked === undefined) {
      const own = await ownRegion(c);
      return own === null || own === regions.home ? next() : hand(c, appOf('from', own), own);
    }
    const [region = ''] = asked;
    if (asked.length > 1)
      throw new PostriderError('INVALID_PAYLOAD', 'region is given more than once.', { field: 'region' });
    if (region === 'all') {
      if (c.req.method === 'GET' && LISTS.has(c.req.path)) return next();
      throw new PostriderError('INVALID_PAYLOAD', 'region=all is for lists of emails; name one here.', {
        field: 'region',
      });
    }
    if (!regions.names.includes(region)) throw unknownRegion(region.slice(0, 32), regions.names);
    return hand(c, appOf('only', region), region);
  };

  /** Refused while it is kept somewhere this process does not serve: elsewhere its data must not be put. */
  async function ownRegion(c: Context<HttpEnv>): Promise<string | null> {
    const caller = c.get('caller');
    if (caller.kind !== 'key' && caller.kind !== 'user') return null;
    const own = await regions.regionOf(caller.companyId);
    if (own !== null && !regions.names.includes(own))
      throw unknownRegion(own, regions.names, { whose: `, which ${caller.companyId} has,` });
    return own;
  }
}

/** Pages and their files are the same everywhere. */
const ABOUT_DATA = /^\/(?:v1|admin|api|hooks|u|resend)\//;
const LISTS = new Set(['/admin/emails', '/v1/emails']);
const HANDED = Symbol('what the gate has learned of a request');

type Handed = HttpEnv['Variables'];

function hand(c: Context<HttpEnv>, app: Hono<HttpEnv>, region: string): Response | Promise<Response> {
  const handed: Handed = {
    requestId: c.get('requestId'),
    caller: c.get('caller'),
    ip: c.get('ip'),
    bodyLimitBytes: c.get('bodyLimitBytes'),
    memory: c.get('memory'),
    region,
  };
  // The very request: another one around its body would begin to read it.
  return app.fetch(c.req.raw, { ...(c.env as object), [HANDED]: handed });
}

/** The routes of one store, for requests that were let in already. */
function handedOn(rooms: HttpRooms, options: Omit<GateOptions, 'regions'>): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  // Here and not outside, so that what stands around the routes adds its headers to refusals too.
  app.onError(refusing(options.logger));
  app.notFound((c) => refusal(new PostriderError('NOT_FOUND', 'There is nothing here.'), c));
  app.use(async (c, next) => {
    const handed = (c.env as { [HANDED]: Handed })[HANDED];
    for (const [name, value] of Object.entries(handed)) c.set(name as keyof Handed, value as never);
    await next();
  });
  mountRooms(app, rooms, options);
  return app;
}
