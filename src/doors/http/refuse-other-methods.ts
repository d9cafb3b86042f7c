/**
 * Gives every registered path an answer to the methods it does not have: 405 with Allow.
 * Call it last: it reads the routes that exist by then.
 */
import type { Hono } from 'hono';
import { PostriderError } from '../../kernel/index.js';
import { refusal } from './refusal.js';
import type { HttpEnv } from './request-context.js';

export function refuseOtherMethods(app: Hono<HttpEnv>): void {
  for (const [path, methods] of methodsByPath(app)) {
    // Hono answers HEAD wherever there is a GET.
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort().join(', ');
    app.all(path, (c) => {
      const error = new PostriderError('METHOD_NOT_ALLOWED', `This path answers to ${allow}.`);
      const answer = refusal(error, c);
      answer.headers.set('Allow', allow);
      return answer;
    });
  }
}

function methodsByPath(app: Hono<HttpEnv>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { method, path } of app.routes) {
    if (method !== 'ALL') found.set(path, [...new Set([...(found.get(path) ?? []), method])]);
  }
  return found;
}
