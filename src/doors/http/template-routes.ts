/**
 * A company's own templates over HTTP, for operators: what there is, drafts, preview, publishing, roll back. A template
 * that is broken is refused with line and reason by the room; here is only where things stand in a request.
 */
import { type Context, Hono } from 'hono';
import { actorOf } from '../../access/index.js';
import { invalidPayload, PostriderError, readFields } from '../../kernel/index.js';
import type { DraftContent, PreviewedContent, PreviewOptions, Templates } from '../../render/index.js';
import { readAct } from './read-act.js';
import { readJsonBody } from './read-json-body.js';
import type { HttpEnv } from './request-context.js';

export function templateRoutes(templates: Templates, bodyLimitBytes: number): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const at = (path: string) => `/admin/templates/:type/:lang${path}`;
  const act = (c: Context, fields: readonly string[]) =>
    readAct(c.req.raw, bodyLimitBytes, ['companyId', ...fields]);

  routes.get('/admin/templates', async (c) => {
    const companyId = companyOf(c);
    return c.json({ types: templates.types(), overrides: await templates.list({ companyId }) });
  });

  routes.get(at(''), async (c) => {
    const key = keyOf(c, companyOf(c));
    return c.json({ versions: await templates.listVersions(key), own: templates.own(key.type) });
  });

  routes.get(at('/preview'), async (c) => {
    const { companyId, version } = readFields(c.req.query(), '', ['companyId', 'version']);
    if (version !== undefined && !/^\d{1,9}$/.test(version as string))
      throw invalidPayload('version', 'must be a number');
    const which = version === undefined ? {} : { version: Number(version) };
    return c.json(presented(await templates.preview(keyOf(c, companyId), which)));
  });

  routes.put(at('/draft'), async (c) => {
    const body = readFields(await readJsonBody(c.req.raw, bodyLimitBytes), '', [
      ...CONTENT,
      'companyId',
      'updatedBy',
    ]);
    const { companyId, updatedBy, ...content } = body;
    return c.json(
      await templates.saveDraft(
        keyOf(c, companyId),
        content as unknown as DraftContent,
        authorOf(c, updatedBy),
      ),
    );
  });

  routes.delete(at('/draft'), async (c) => {
    if (await templates.discardDraft(keyOf(c, companyOf(c)))) return c.body(null, 204);
    throw new PostriderError('NOT_FOUND', 'There is no draft.', { field: 'type' });
  });

  routes.post(at('/preview'), async (c) => {
    const { companyId, content, ...options } = await act(c, ['data', 'version', 'content']);
    const draft = content === undefined ? {} : { content: readFields(content, 'content', CONTENT) };
    return c.json(
      presented(await templates.preview(keyOf(c, companyId), { ...options, ...draft } as PreviewOptions)),
    );
  });

  routes.post(at('/publish'), async (c) => {
    const { companyId, updatedBy } = await act(c, ['updatedBy']);
    return c.json(await templates.publish(keyOf(c, companyId), authorOf(c, updatedBy)));
  });

  routes.post(at('/roll-back'), async (c) => {
    const { companyId, updatedBy, version } = await act(c, ['updatedBy', 'version']);
    return c.json(
      await templates.rollBack(keyOf(c, companyId), authorOf(c, updatedBy), version as number | undefined),
    );
  });

  routes.post(at('/active'), async (c) => {
    const { companyId, updatedBy, isActive } = await act(c, ['updatedBy', 'isActive']);
    return c.json(
      await templates.setActive(keyOf(c, companyId), isActive as boolean, authorOf(c, updatedBy)),
    );
  });

  return routes;
}

const CONTENT = ['subject', 'htmlContent', 'textContent'];

function keyOf(c: Context, companyId: unknown) {
  const { type = '', lang = '' } = c.req.param();
  return { companyId: companyId as string | undefined, type, lang };
}

/** Whoever is signed in; the holder of the operator key acts for people of the application and may name them. */
function authorOf(c: Context<HttpEnv>, named: unknown): string {
  const caller = c.get('caller');
  if (named === undefined) return actorOf(caller).name;
  if (caller.kind === 'root') return named as string;
  throw invalidPayload('updatedBy', 'is whoever is signed in');
}

function companyOf(c: Context): string | undefined {
  const { companyId } = readFields(c.req.query(), '', ['companyId']);
  if (companyId !== undefined && typeof companyId !== 'string')
    throw invalidPayload('companyId', 'must be a string');
  return companyId;
}

function presented({ images = [], ...content }: PreviewedContent): object {
  return { ...content, images: images.map(encoded) };
}

function encoded({ content, ...image }: { content: string | Uint8Array }): object {
  return { ...image, content: Buffer.from(content).toString('base64') };
}
