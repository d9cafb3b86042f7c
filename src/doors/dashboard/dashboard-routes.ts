/**
 * The dashboard as files: one document for every page of it, and the assets it names. The document may run its own
 * scripts and nothing else, and is framed by nobody. The files hold no data, so anyone may have them; what they show
 * they ask of the API, which knows who is asking.
 */
import { randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { PostriderError } from '../../kernel/index.js';
import { FRAME_POLICY, presentHtml } from '../inbox/index.js';
import { withScreen } from '../preview/index.js';
import { type DashboardFile, type DashboardFiles, loadDashboard, NONCE } from './load-dashboard.js';

export interface DashboardOptions {
  /** Where `/` leads. */
  start: '/dashboard/' | '/dashboard/inbox';
  load?: () => DashboardFiles | null;
  /** Held to its limit while it arrives, since anybody may send one. */
  readBody(c: Context): Promise<Uint8Array<ArrayBuffer>>;
  /** Counts what an answer holds until it has left, and refuses what would be too much. */
  holdAnswer(c: Context, bytes: number): void;
}

export function dashboardRoutes({
  start,
  load = loadDashboard,
  readBody,
  holdAnswer,
}: DashboardOptions): Hono {
  const routes = new Hono();
  let files: DashboardFiles | null = null;

  routes.get('/', (c) => c.redirect(start));

  // What a page shows of an email has to come with a policy of its own, and a page cannot give a frame one.
  routes.post('/dashboard/frame', async (c) => {
    if (c.req.header('sec-fetch-site') !== 'same-origin')
      throw new PostriderError('INVALID_HEADER', 'Only a page of the dashboard fills a frame.', {
        field: 'Sec-Fetch-Site',
      });
    const form = await formOf(c, await readBody(c));
    const [html, scheme] = [form?.get('html'), form?.get('scheme')];
    if (typeof html !== 'string')
      throw new PostriderError('INVALID_PAYLOAD', 'html is what the frame is to show.', { field: 'html' });
    const seen = withScreen(html, scheme === 'dark' ? 'dark' : 'light');
    return c.html(presentHtml({ html: seen, attachments: [] }), 200, {
      'Content-Security-Policy': FRAME_POLICY,
    });
  });

  routes.get('/dashboard/*', (c) => {
    files ??= load();
    if (!files) return c.html(NOT_BUILT, 503, { 'Content-Security-Policy': "default-src 'none'" });
    const name = c.req.path.slice('/dashboard/'.length);
    const file = files.assets.get(name);
    if (file) return asset(c, file, (bytes) => holdAnswer(c, bytes));
    if (name.startsWith('assets/')) throw new PostriderError('NOT_FOUND', 'There is no such file.');
    return document(c, files.document);
  });

  return routes;
}

/** Null where it is no form. */
async function formOf(c: Context, bytes: Uint8Array<ArrayBuffer>): Promise<FormData | null> {
  const headers = { 'Content-Type': c.req.header('content-type') ?? '' };
  return new Response(bytes, { headers }).formData().catch(() => null);
}

function document(c: Context, template: string): Response {
  const nonce = randomBytes(18).toString('base64url');
  return c.html(template.replaceAll(NONCE, nonce), 200, {
    'Content-Security-Policy': policy(nonce),
    'Cross-Origin-Opener-Policy': 'same-origin',
  });
}

/** The components write small style elements of their own, which is what the nonce is for; scripts need none. */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Names hold a hash of the content, so a browser that has one need never ask again. */
function asset(
  c: Context,
  { body, compressed, contentType, etag }: DashboardFile,
  hold: (bytes: number) => void,
): Response {
  const headers = {
    'Content-Type': contentType,
    'Cache-Control': 'public, max-age=31536000, immutable',
    ETag: etag,
    Vary: 'Accept-Encoding',
  };
  if (c.req.header('if-none-match') === etag) return c.body(null, 304, headers);
  const accepted = c.req.header('accept-encoding') ?? '';
  for (const [encoding, form] of [
    ['br', compressed.br],
    ['gzip', compressed.gzip],
  ] as const) {
    if (form && new RegExp(`\\b${encoding}\\b`).test(accepted)) {
      hold(form.length);
      return c.body(form, 200, { ...headers, 'Content-Encoding': encoding });
    }
  }
  hold(body.length);
  return c.body(body, 200, headers);
}

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Postrider</title>
<h1>The dashboard is not built</h1><p>Run <code>npm run build</code> and load this page again.</p></html>`;
