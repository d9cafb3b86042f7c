/**
 * The templates over HTTP: the page at `/dev/templates`, and under it what the page asks for. An email's HTML is only
 * ever served into a frame without scripts and without an origin, whatever data it was made from.
 */
import { type Context, Hono } from 'hono';
import { PostriderError } from '../../kernel/index.js';
import type { TypeAttachment } from '../../render/index.js';
import { eventStream } from '../dev-page/index.js';
import { FRAME_POLICY, presentHtml } from '../inbox/index.js';
import type { Preview, PreviewRequest, Shown } from './create-preview.js';
import { previewPage } from './page/preview-page.js';
import { withScreen } from './with-screen.js';

export interface PreviewPorts {
  /** Takes an email, as "Send to the inbox" does. */
  accept(input: unknown, options: { requestId: string }): Promise<object>;
  readJson(c: Context): Promise<unknown>;
}

export function previewRoutes(
  preview: Preview,
  ports: PreviewPorts,
): Hono<{ Variables: { requestId: string } }> {
  const routes = new Hono<{ Variables: { requestId: string } }>();
  const page = previewPage();
  const changes = () =>
    eventStream((tell) => preview.subscribe(() => tell('changed', {})), { maxUnread: 100 });

  routes.get('/dev/templates', (c) => c.html(page.html, 200, { 'Content-Security-Policy': page.policy }));

  routes.get('/dev/templates/types', (c) => c.json(preview.list()));

  routes.post('/dev/templates/render', async (c) =>
    c.json(present(preview.render(requestOf(await ports.readJson(c))))),
  );

  routes.get('/dev/templates/frames/:id', (c) => {
    const shown = preview.frame(c.req.param('id'));
    if (shown === undefined)
      throw new PostriderError('NOT_FOUND', 'This was shown too long ago.', { field: 'id' });
    const screen = c.req.query('screen') === 'dark' ? 'dark' : 'light';
    const html = withScreen(shown.html, screen);
    return c.html(presentHtml({ html, attachments: shown.attachments.map(opened) }), 200, {
      'Content-Security-Policy': FRAME_POLICY,
    });
  });

  routes.post('/dev/templates/send', async (c) => {
    const request = requestOf(await ports.readJson(c));
    const email = asEmail(request, preview.render(request));
    return c.json(await ports.accept(email, { requestId: c.get('requestId') }), 202);
  });

  routes.get('/dev/templates/stream', (c) => c.body(changes(), 200, { 'Content-Type': 'text/event-stream' }));

  return routes;
}

function requestOf(input: unknown): PreviewRequest {
  const {
    type,
    lang,
    data,
    companyId = '',
  } = (typeof input === 'object' && input !== null ? input : {}) as Partial<PreviewRequest>;
  if (typeof type !== 'string')
    throw new PostriderError('INVALID_PAYLOAD', 'type must be a string', { field: 'type' });
  if (typeof lang !== 'string' || !/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,3}$/.test(lang))
    throw new PostriderError('INVALID_PAYLOAD', 'lang must be a language tag such as en', { field: 'lang' });
  if (typeof companyId !== 'string')
    throw new PostriderError('INVALID_PAYLOAD', 'companyId must be a string', { field: 'companyId' });
  return { type, lang, data, companyId };
}

function present({ html, attachments, ...shown }: Shown): object {
  return {
    ...shown,
    bytes: Buffer.byteLength(html),
    source: html,
    attachments: attachments.map(({ filename, contentType, content }) => ({
      ...{ filename, contentType },
      content: typeof content === 'string' ? content : `${content.byteLength} bytes`,
    })),
  };
}

/** As ready content and without its type: what is seen is what is sent, and no limit of the type counts it. */
function asEmail({ type, lang }: PreviewRequest, { subject, html, text, attachments }: Shown): object {
  return {
    ...{ to: 'reader@example.com', subject, html, text },
    metadata: { preview: type, lang },
    ...(attachments.length > 0 && {
      attachments: attachments.map(({ content, ...file }) => ({
        ...file,
        content: Buffer.from(content).toString('base64'),
      })),
    }),
  };
}

function opened({ filename, contentType, content, contentId }: TypeAttachment) {
  return { ...{ filename, contentType }, contentId: contentId ?? null, content: Buffer.from(content) };
}
