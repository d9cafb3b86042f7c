/**
 * Tenants, keys, accounts and the audit log, for those who administer. Each parses, calls the access room and presents
 * its answer; the room writes the log. A key's token is in the answer that made it and in no other.
 */
import { type Context, Hono } from 'hono';
import { ACCESS_INPUTS, type Access, type Actor, actorOf } from '../../access/index.js';
import { readJsonBody } from './read-json-body.js';
import { readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export function accessRoutes(access: Access): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const body = (c: Context<HttpEnv>) => readJsonBody(c);

  routes.get('/admin/tenants', async (c) =>
    c.json(await access.tenants.list(readQuery(c, ACCESS_INPUTS.tenantPage))),
  );
  routes.post('/admin/tenants', async (c) => c.json(await access.tenants.create(await body(c), by(c)), 201));
  routes.patch('/admin/tenants/:companyId', async (c) =>
    c.json(await access.tenants.change(c.req.param('companyId'), await body(c), by(c))),
  );

  routes.get('/admin/keys', async (c) => c.json(await access.keys.list(readQuery(c, ACCESS_INPUTS.keyPage))));
  routes.post('/admin/keys', async (c) => c.json(await access.keys.create(await body(c), by(c)), 201));
  routes.delete('/admin/keys/:id', async (c) => c.json(await access.keys.revoke(c.req.param('id'), by(c))));

  routes.get('/admin/admins', async (c) => c.json({ admins: await access.admins.list() }));
  routes.post('/admin/admins', async (c) => c.json(await access.admins.create(await body(c), by(c)), 201));
  routes.patch('/admin/admins/:id', async (c) =>
    c.json(await access.admins.change(c.req.param('id'), await body(c), by(c))),
  );
  routes.post('/admin/admins/:id/code', async (c) =>
    c.json(await access.signIn.issueCode(c.req.param('id'), by(c))),
  );

  routes.post('/admin/secrets/rotate', async (c) => c.json(await access.secrets.rotate(by(c))));

  routes.get('/admin/audit', async (c) =>
    c.json(await access.audit.list(readQuery(c, ACCESS_INPUTS.auditPage))),
  );

  return routes;
}

function by(c: Context<HttpEnv>): Actor {
  return actorOf(c.get('caller'), { ip: c.get('ip'), requestId: c.get('requestId') });
}
