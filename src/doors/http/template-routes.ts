/**
 * A company's own templates over HTTP, for operators: what there is, drafts, preview, publishing, roll back. A template
 * that is broken is refused with line and reason by the room; here is only where things stand in a request.
 */
import { type Context, Hono } from 'hono';
import { actorOf } from '../../access/index.js';
import { type Field, fields, invalidPayload, PostriderError } from '../../kernel/index.js';
import {
  type PreviewedContent,
  TEMPLATE_INPUTS,
  TEMPLATE_KEY_FIELDS,
  type Templates,
  VERSION,
} from '../../render/index.js';
import { COMPANY_QUERY } from './list-queries.js';
import { readAct } from './read-act.js';
import { inQuery, readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';
import { mayUse } from './route-access.js';

export function templateRoutes(templates: Templates): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const at = (path: string) => `/admin/templates/:type/:lang${path}`;
  const act = <T>(c: Context<HttpEnv>, body: Field<T>) => readAct(c, body);
  /** The sign-in codes of admins are of that portal: their words are changed by admins alone. */
  const changed = (c: Context<HttpEnv>, companyId: string | undefined) => {
    const key = keyOf(c, companyId);
    const isAdmins = templates.types().some(({ type, portal }) => type === key.type && portal === 'admin');
    if (!isAdmins || mayUse(c.get('caller'), 'administer')) return key;
    throw new PostriderError('FORBIDDEN', 'Only admins change emails of the admin portal.', {
      field: 'type',
    });
  };

  routes.get('/admin/templates', async (c) => {
    const companyId = companyOf(c);
    return c.json({ types: templates.types(), overrides: await templates.list({ companyId }) });
  });

  routes.get(at(''), async (c) => {
    const key = keyOf(c, companyOf(c));
    return c.json({ versions: await templates.listVersions(key), own: templates.own(key.type) });
  });

  routes.get(at('/preview'), async (c) => {
    const { companyId, ...which } = readQuery(c, PREVIEW_QUERY);
    return c.json(presented(await templates.preview(keyOf(c, companyId), which)));
  });

  routes.put(at('/draft'), async (c) => {
    const { companyId, updatedBy, ...content } = await act(c, TEMPLATE_INPUTS.draft);
    return c.json(await templates.saveDraft(changed(c, companyId), content, authorOf(c, updatedBy)));
  });

  routes.delete(at('/draft'), async (c) => {
    if (await templates.discardDraft(changed(c, companyOf(c)))) return c.body(null, 204);
    throw new PostriderError('NOT_FOUND', 'There is no draft.', { field: 'type' });
  });

  routes.post(at('/preview'), async (c) => {
    const { companyId, ...options } = await act(c, TEMPLATE_INPUTS.preview);
    return c.json(presented(await templates.preview(keyOf(c, companyId), options)));
  });

  routes.post(at('/publish'), async (c) => {
    const { companyId, updatedBy } = await act(c, TEMPLATE_INPUTS.publish);
    return c.json(await templates.publish(changed(c, companyId), authorOf(c, updatedBy)));
  });

  routes.post(at('/roll-back'), async (c) => {
    const { companyId, updatedBy, version } = await act(c, TEMPLATE_INPUTS.rollBack);
    return c.json(await templates.rollBack(changed(c, companyId), authorOf(c, updatedBy), version));
  });

  routes.post(at('/active'), async (c) => {
    const { companyId, updatedBy, isActive } = await act(c, TEMPLATE_INPUTS.active);
    return c.json(await templates.setActive(changed(c, companyId), isActive, authorOf(c, updatedBy)));
  });

  return routes;
}

export const PREVIEW_QUERY = fields({
  companyId: TEMPLATE_KEY_FIELDS.companyId,
  version: inQuery.number(VERSION),
});

function keyOf(c: Context, companyId: string | undefined) {
  const { type = '', lang = '' } = c.req.param();
  return { companyId, type, lang };
}

/** Whoever is signed in; the holder of the operator key acts for people of the application and may name them. */
function authorOf(c: Context<HttpEnv>, named: string | undefined): string {
  const caller = c.get('caller');
  if (named === undefined) return actorOf(caller).name;
  if (caller.kind === 'root') return named;
  throw invalidPayload('updatedBy', 'is whoever is signed in');
}

function companyOf(c: Context): string | undefined {
  return readQuery(c, COMPANY_QUERY).companyId;
}

function presented({ images = [], ...content }: PreviewedContent): object {
  return { ...content, images: images.map(encoded) };
}

function encoded({ content, ...image }: { content: string | Uint8Array }): object {
  return { ...image, content: Buffer.from(content).toString('base64') };
}
