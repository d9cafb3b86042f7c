/**
 * The body of an operator's act, read with what the description of the API shows of it; or nothing at all where none is
 * needed. A field that is not known is refused, so that a misspelt `dryRun` never cancels.
 */
import type { Context } from 'hono';
import { z } from 'zod';
import { type Field, field, fields, invalidPayload, PostriderError } from '../../kernel/index.js';
import { hasBody } from './read-body.js';
import { readJsonBody } from './read-json-body.js';
import type { HttpEnv } from './request-context.js';

export async function readAct<T>(c: Context<HttpEnv>, act: Field<T>): Promise<T> {
  if (!hasBody(c) && c.req.header('content-type') === undefined) return act.read({}, '');
  const body = await readJsonBody(c);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new PostriderError('INVALID_PAYLOAD', 'The body must be a JSON object.');
  return act.read(body, '');
}

const MAX_REASON = 500;

/** What several acts may say; the description of the API is made of the same. */
export const ACT_FIELDS = {
  acceptDuplicates: field.flag('Also emails that may have been delivered already.'),
  dryRun: field.flag('Counts, and changes nothing.'),
  reason: field.own(
    () => z.string().max(MAX_REASON),
    (input, name): string => {
      if (typeof input === 'string' && input.length <= MAX_REASON && !input.includes('\0')) return input;
      throw invalidPayload(name, `must be a text of up to ${MAX_REASON} characters`);
    },
  ),
} as const;

/** An act that takes no word. */
export const NOTHING = fields({});
