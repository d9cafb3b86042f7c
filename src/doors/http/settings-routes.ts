/** Every setting of this process: its value, where it came from, what it would be otherwise. Secrets come masked. */
import { Hono } from 'hono';
import type { Explanation } from '../../kernel/index.js';
import type { HttpEnv } from './request-context.js';

export function settingsRoutes(settings: () => readonly Explanation[]): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.get('/admin/settings', (c) => c.json({ settings: settings() }));
  return routes;
}
