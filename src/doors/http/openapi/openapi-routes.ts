/** `/openapi.json` and `/docs`: the same document for programs and for people. Both are made once. */
import { Hono } from 'hono';
import type { HttpEnv } from '../request-context.js';
import { openApiDocument } from './create-document.js';
import { docsPage } from './docs-page.js';

export function openApiRoutes(): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  let page: ReturnType<typeof docsPage> | null = null;

  routes.get('/openapi.json', (c) => c.json(openApiDocument()));

  routes.get('/docs', (c) => {
    page ??= docsPage(openApiDocument());
    return c.html(page.html, 200, { 'Content-Security-Policy': page.policy });
  });

  return routes;
}
