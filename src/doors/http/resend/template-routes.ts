/** Templates a tenant keeps as text, as Resend's clients write, publish and send them. By id or by alias. */
import { Hono } from 'hono';
import { PostriderError } from '../../../kernel/index.js';
import type { ListedTemplate, StoredTemplate } from '../../../render/index.js';
import type { HttpEnv } from '../request-context.js';
import { callerCompany } from './caller-company.js';
import type { ResendRouteOptions } from './email-routes.js';
import { listOf, pageQuery } from './list-page.js';
import { readBody } from './read-body.js';

export function resendTemplateRoutes({ rooms }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const { templates, defaultCompany } = rooms;

  routes.post('/templates', async (c) => {
    const body = await readBody(c);
    return c.json(named(await templates.create(callerCompany(c, defaultCompany), body)), 201);
  });

  routes.get('/templates', async (c) => {
    const page = await templates.list(callerCompany(c, defaultCompany), pageQuery(c));
    return c.json(listOf(page.templates.map(brief), page.more));
  });

  routes.get('/templates/:template', async (c) => {
    const template = await templates.find(callerCompany(c, defaultCompany), c.req.param('template'));
    if (template === null) throw new PostriderError('NOT_FOUND', 'Template not found', { field: 'id' });
    return c.json({ object: 'template', ...whole(template) });
  });

  routes.patch('/templates/:template', async (c) => {
    const body = await readBody(c);
    const company = callerCompany(c, defaultCompany);
    return c.json(named(await templates.update(company, c.req.param('template'), body)));
  });

  routes.delete('/templates/:template', async (c) => {
    const id = await templates.remove(callerCompany(c, defaultCompany), c.req.param('template'));
    return c.json({ ...named(id), deleted: true });
  });

  routes.post('/templates/:template/publish', async (c) =>
    c.json(named(await templates.publish(callerCompany(c, defaultCompany), c.req.param('template')))),
  );

  routes.post('/templates/:template/duplicate', async (c) =>
    c.json(named(await templates.duplicate(callerCompany(c, defaultCompany), c.req.param('template'))), 201),
  );

  return routes;
}

function named(id: string) {
  return { object: 'template', id };
}

function brief({ id, name, status, alias, createdAt, updatedAt, publishedAt }: ListedTemplate) {
  return {
    id,
    name,
    status,
    alias,
    created_at: createdAt,
    updated_at: updatedAt,
    published_at: publishedAt,
  };
}

function whole(template: StoredTemplate) {
  const { subject, html, text, from, replyTo, variables } = template.content;
  const { createdAt, updatedAt } = template;
  return {
    ...brief(template),
    subject,
    html,
    text,
    from,
    reply_to: replyTo,
    variables: variables.map(({ key, type, fallback }) => ({
      ...{ key, type, fallback_value: fallback },
      ...{ created_at: createdAt, updated_at: updatedAt },
    })),
    has_unpublished_versions: template.hasUnpublished,
    current_version_id: template.versionId,
  };
}
