import type { Context } from 'hono';
import { companyOf } from '../../../access/index.js';
import type { HttpEnv } from '../request-context.js';

/** Whose things a request is about: a key's own company, and the default one for callers who belong to none. */
export function callerCompany(c: Context<HttpEnv>, defaultCompany: string): string {
  return companyOf(c.get('caller')) ?? defaultCompany;
}
