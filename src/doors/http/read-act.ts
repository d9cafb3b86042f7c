/**
 * The body of an operator's act: an object of known fields, or nothing at all where none is needed. A field that is
 * not known is refused, so that a misspelt `dryRun` never cancels.
 */
import { z } from 'zod';
import { field, invalidPayload, PostriderError, refuseUnknownKeys } from '../../kernel/index.js';
import { readJsonBody } from './read-json-body.js';

export async function readAct(
  request: Request,
  limitBytes: number,
  fields: readonly string[],
): Promise<Record<string, unknown>> {
  const empty = request.body === null || request.headers.get('content-length') === '0';
  if (empty && request.headers.get('content-type') === null) return {};
  const body = await readJsonBody(request, limitBytes);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new PostriderError('INVALID_PAYLOAD', 'The body must be a JSON object.');
  refuseUnknownKeys(body, fields, 'INVALID_PAYLOAD');
  return body as Record<string, unknown>;
}

const MAX_REASON = 500;

/** What several acts may say; the description of the API is made of the same. */
export const ACT_FIELDS = {
  acceptDuplicates: field.flag('Also emails that may have been delivered already.'),
  dryRun: field.flag('Counts, and changes nothing.'),
  reason: field.own(z.string().max(MAX_REASON), (input, name): string | undefined => {
    if (input === undefined) return undefined;
    if (typeof input === 'string' && input.length <= MAX_REASON && !input.includes('\0')) return input;
    throw invalidPayload(name, `must be a text of up to ${MAX_REASON} characters`);
  }),
} as const;

export function flagOf(body: Record<string, unknown>, name: 'acceptDuplicates' | 'dryRun'): boolean {
  return ACT_FIELDS[name].read(body[name], name);
}

export function reasonOf(body: Record<string, unknown>): { reason?: string } {
  const reason = ACT_FIELDS.reason.read(body.reason, 'reason');
  return reason === undefined ? {} : { reason };
}
