/** Segments, which older clients call audiences. Removing one that is not there is the same as removing it. */
import { type Context, Hono } from 'hono';
import { type Fields, parseLine } from '../../../kernel/index.js';
import { type Segment, segmentNotFound } from '../../../recipients/index.js';
import type { HttpEnv } from '../request-context.js';
import { callerCompany } from './caller-company.js';
import type { ResendRouteOptions } from './email-routes.js';
import { listOf, pageQuery } from './list-page.js';
import { missing, readBody } from './read-body.js';

export function resendSegmentRoutes({ rooms }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const { segments, defaultCompany } = rooms;
  const company = (c: Context<HttpEnv>) => callerCompany(c, defaultCompany);

  for (const [path, object] of [
    ['/segments', 'segment'],
    ['/audiences', 'audience'],
  ] as const) {
    routes.post(path, async (c) => {
      const name = nameOf(await readBody(c));
      const { id } = await segments.create(company(c), name);
      return c.json({ object, id, name }, 201);
    });

    routes.get(path, async (c) => {
      const page = await segments.list(company(c), pageQuery(c, { all: true }));
      return c.json(listOf(page.segments.map(shown), page.more));
    });

    routes.get(`${path}/:segment`, async (c) => {
      const segment = await segments.find(company(c), c.req.param('segment'));
      if (segment === null) throw segmentNotFound();
      return c.json({ object, ...shown(segment) });
    });

    routes.patch(`${path}/:segment`, async (c) => {
      const name = nameOf(await readBody(c));
      const { id } = await segments.rename(company(c), c.req.param('segment'), name);
      return c.json({ object, id, name });
    });

    routes.delete(`${path}/:segment`, async (c) => {
      const id = c.req.param('segment');
      await segments.remove(company(c), id);
      return c.json({ object, id, deleted: true });
    });
  }

  return routes;
}

function nameOf({ name }: Fields): string {
  const given = parseLine(name, 'name', 200);
  if (given === null) throw missing('name');
  return given;
}

function shown({ id, name, createdAt }: Segment) {
  return { id, name, created_at: createdAt };
}
