/** `/openapi.json` and `/docs`: the same document for programs and for people. Both are made once. */
import { Hono } from 'hono';
import type { HttpEnv } from '../request-context.js';
import { openApiDocument } from './create-document.js';
import { docsPage } from './docs-page.js';

export function openApiRoutes(): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  let json: Uint8Array<ArrayBuffer> | null = null;
  let page: ReturnType<typeof docsPage> | null = null;

  // Held for each client until it has taken them, and anybody may ask.
  routes.get('/openapi.json', (c) => {
    json ??= new TextEncoder().encode(JSON.stringify(openApiDocument()));
    c.get('memory').takeForAnswer(json.length);
    return c.body(json, 200, { 'Content-Type': 'application/json' });
  });

  routes.get('/docs', (c) => {
    page ??= docsPage(openApiDocument());
    c.get('memory').takeForAnswer(page.html.length);
    return c.html(page.html, 200, { 'Content-Security-Policy': page.policy });
  });

  return routes;
}
