import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Context, Hono } from 'hono';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostriderError } from '../../kernel/index.js';
import { dashboardRoutes } from './dashboard-routes.js';
import { loadDashboard } from './load-dashboard.js';

let folder: string;
let app: Hono;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<meta nonce="__NONCE__"><p>the document</p>');
  writeFileSync(join(folder, 'secret.txt'), 'not an asset');
  writeFileSync(join(folder, 'assets', 'main-1.js'), 'plain');
  writeFileSync(join(folder, 'assets', 'main-1.js.br'), 'as brotli');
  writeFileSync(join(folder, 'assets', 'main-1.js.gz'), 'as gzip');
  app = withErrors(
    dashboardRoutes({
      start: '/dashboard/inbox',
      load: () => loadDashboard(folder),
      readBody,
      holdAnswer: () => undefined,
    }),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const readBody = async (c: Context) => new Uint8Array(await c.req.arrayBuffer());

function withErrors(routes: Hono): Hono {
  const outer = new Hono().route('/', routes);
  outer.onError((thrown, c) => {
    if (!(thrown instanceof PostriderError)) throw thrown;
    return c.text(thrown.code, thrown.status as 400);
  });
  return outer;
}

test.each(['/dashboard', '/dashboard/', '/dashboard/emails/x?status=sent'])(
  '%s → the document, with a nonce of this answer alone',
  async (path) => {
    const nonces = new Set<string>();
    for (let i = 0; i < 2; i++) {
      const answer = await app.request(path);
      const [, nonce = ''] = /nonce="([\w-]{24})"/.exec(await answer.text()) ?? [];
      expect(answer.headers.get('content-security-policy')).toContain(`style-src 'self' 'nonce-${nonce}'`);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(2);
  },
);

test('the policy → scripts of its own alone, nothing inline, no frame around it', async () => {
  const policy = (await app.request('/dashboard/')).headers.get('content-security-policy')!;
  expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect(policy).toContain("frame-ancestors 'none'");
});

test('an asset → compressed as the browser takes it, kept for ever, and not sent twice', async () => {
  const get = (headers: Record<string, string>) => app.request('/dashboard/assets/main-1.js', { headers });
  const brotli = await get({ 'Accept-Encoding': 'gzip, deflate, br' });
  expect([await brotli.text(), brotli.headers.get('content-encoding')]).toEqual(['as brotli', 'br']);
  expect(await (await get({ 'Accept-Encoding': 'gzip' })).text()).toBe('as gzip');
  const plain = await get({});
  expect([await plain.text(), plain.headers.get('content-encoding')]).toEqual(['plain', null]);
  expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect((await get({ 'If-None-Match': plain.headers.get('etag')! })).status).toBe(304);
});

test.each([
  '/dashboard/assets/none.js',
  '/dashboard/assets/..%2fsecret.txt',
  '/dashboard/assets/main-1.js.br',
])('%s → not found', async (path) => {
  const answer = await app.request(path);
  expect([answer.status, await answer.text()]).toEqual([404, 'NOT_FOUND']);
});

test('a path out of the folder → the document, never the file', async () => {
  expect(await (await app.request('/dashboard/../secret.txt')).text()).not.toContain('not an asset');
  expect(await (await app.request('/dashboard/..%2fsecret.txt')).text()).toContain('the document');
});

test('the dashboard was not built → says what to run', async () => {
  const answer = await withErrors(
    dashboardRoutes({ start: '/dashboard/', load: () => null, readBody, holdAnswer: () => undefined }),
  ).request('/dashboard/');
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain('npm run build');
});

test('markup for a frame → only from a page of this origin, and answered without scripts, origin or network', async () => {
  const body = new FormData();
  body.set('html', '<h1>Hello</h1><script>alert(1)</script>');
  const post = (headers: Record<string, string>) =>
    app.request('/dashboard/frame', { method: 'POST', body, headers });
  expect((await post({})).status).toBe(400);
  expect((await post({ 'Sec-Fetch-Site': 'cross-site' })).status).toBe(400);
  const answer = await post({ 'Sec-Fetch-Site': 'same-origin' });
  expect(await answer.text()).toContain('<h1>Hello</h1>');
  expect(answer.headers.get('content-security-policy')).toMatch(
    /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'/,
  );
  const empty = { method: 'POST', headers: { 'Sec-Fetch-Site': 'same-origin' } };
  expect((await app.request('/dashboard/frame', empty)).status).toBe(400);
});

test('the root → leads to the page it is told', async () => {
  expect((await app.request('/')).headers.get('location')).toBe('/dashboard/inbox');
});

test('markup for a frame on a dark screen → what the email keeps for the dark holds, whatever the reader has', async () => {
  const rule = '<style>@media (prefers-color-scheme: dark) { p { color: red } }</style>';
  const shown = async (scheme: string) => {
    const body = new FormData();
    body.set('html', rule);
    body.set('scheme', scheme);
    const headers = { 'Sec-Fetch-Site': 'same-origin' };
    return (await app.request('/dashboard/frame', { method: 'POST', body, headers })).text();
  };
  expect(await shown('dark')).toContain('@media (min-width:0)');
  expect(await shown('light')).toContain('@media (max-width:0)');
});
