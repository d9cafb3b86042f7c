/** What people can be written to about. */
import { type Context, Hono } from 'hono';
import { parseChoice, parseLine } from '../../../kernel/index.js';
import { type Topic, topicNotFound } from '../../../recipients/index.js';
import type { HttpEnv } from '../request-context.js';
import { callerCompany } from './caller-company.js';
import type { ResendRouteOptions } from './email-routes.js';
import { cutPage, pageQuery } from './list-page.js';
import { missing, readBody } from './read-body.js';

export function resendTopicRoutes({ rooms }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const { topics, defaultCompany } = rooms;
  const company = (c: Context<HttpEnv>) => callerCompany(c, defaultCompany);

  routes.post('/topics', async (c) => {
    const body = await readBody(c);
    const name = parseLine(body.name, 'name', MAX_NAME);
    if (name === null) throw missing('name');
    const said = parseChoice(body.default_subscription, 'default_subscription', [
      'opt_in',
      'opt_out',
    ] as const);
    if (said === null) throw missing('default_subscription');
    const description = parseLine(body.description, 'description', MAX_DESCRIPTION);
    const { id } = await topics.create(company(c), { name, description, optIn: said === 'opt_in' });
    return c.json({ object: 'topic', id }, 201);
  });

  routes.get('/topics', async (c) =>
    c.json(cutPage((await topics.list(company(c))).map(shown), pageQuery(c, { all: true }))),
  );

  routes.get('/topics/:topic', async (c) => {
    const topic = await topics.find(company(c), c.req.param('topic'));
    if (topic === null) throw topicNotFound();
    return c.json({ object: 'topic', ...shown(topic) });
  });

  routes.patch('/topics/:topic', async (c) => {
    const body = await readBody(c);
    const name = parseLine(body.name, 'name', MAX_NAME);
    const description = parseLine(body.description, 'description', MAX_DESCRIPTION);
    const { id } = await topics.change(company(c), c.req.param('topic'), {
      ...(name !== null && { name }),
      ...(description !== null && { description }),
    });
    return c.json({ object: 'topic', id });
  });

  routes.delete('/topics/:topic', async (c) => {
    const id = c.req.param('topic');
    if (!(await topics.remove(company(c), id))) throw topicNotFound();
    return c.json({ object: 'topic', id, deleted: true });
  });

  return routes;
}

const MAX_NAME = 100;
const MAX_DESCRIPTION = 500;

function shown({ id, name, description, optIn, createdAt }: Topic) {
  return {
    ...{ id, name, description },
    default_subscription: optIn ? 'opt_in' : 'opt_out',
    created_at: createdAt,
  };
}
