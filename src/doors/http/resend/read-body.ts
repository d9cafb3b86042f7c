/**
 * Bodies as Resend's clients send them: every request says JSON, also one that has no body. An empty body is an empty
 * object; fields nobody knows are passed over, because newer clients send more than older servers know.
 */
import type { Context } from 'hono';
import { type Fields, PostriderError } from '../../../kernel/index.js';
import { hasBody } from '../read-body.js';
import { readJsonBody } from '../read-json-body.js';
import type { HttpEnv } from '../request-context.js';

export async function readAnyBody(c: Context<HttpEnv>): Promise<unknown> {
  return hasBody(c) ? readJsonBody(c) : {};
}

export async function readBody(c: Context<HttpEnv>): Promise<Fields> {
  return fieldsOf(await readAnyBody(c));
}

/** Own keys only; null and undefined both mean not given. */
export function fieldsOf(input: unknown, place = ''): Fields {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new PostriderError('INVALID_PAYLOAD', `${place || 'The body'} must be an object.`, {
      ...(place !== '' && { field: place }),
    });
  const fields: Fields = Object.create(null);
  for (const key of Object.keys(input)) {
    const value = (input as Fields)[key];
    if (value !== undefined && value !== null) fields[key] = value;
  }
  return fields;
}

export function missing(field: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} is missing`, { field });
}
