/**
 * The body of an operator's act: an object of known fields, or nothing at all where none is needed. A field that is
 * not known is refused, so that a misspelt `dryRun` never cancels.
 */
import { PostriderError, refuseUnknownKeys } from '../../kernel/index.js';
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

export function flagOf(body: Record<string, unknown>, field: string): boolean {
  const value = body[field] ?? false;
  if (typeof value === 'boolean') return value;
  throw new PostriderError('INVALID_PAYLOAD', `${field} must be true or false.`, { field });
}

const MAX_REASON = 500;

export function reasonOf(body: Record<string, unknown>): { reason?: string } {
  const { reason } = body;
  if (reason === undefined) return {};
  if (typeof reason === 'string' && reason.length <= MAX_REASON && !reason.includes('\0')) return { reason };
  throw new PostriderError('INVALID_PAYLOAD', `reason must be a text of up to ${MAX_REASON} characters.`, {
    field: 'reason',
  });
}
