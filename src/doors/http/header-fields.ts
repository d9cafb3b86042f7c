/** The headers of the API's own, read and described by the same. */
import type { Context } from 'hono';
import { field, isPostriderError, PostriderError } from '../../kernel/index.js';

export const HEADER_FIELDS = {
  'Idempotency-Key': field.pattern(/^[\x20-\x7e]{1,255}$/, '1 to 255 printable ASCII characters'),
  'X-Request-Id': field.pattern(
    /^[A-Za-z0-9._:-]{1,128}$/,
    '1 to 128 letters, digits, dots, underscores, colons or hyphens',
  ),
} as const;

/** What the header says; undefined where it is left out. */
export function readHeader(c: Context, name: keyof typeof HEADER_FIELDS): string | undefined {
  const given = c.req.header(name);
  try {
    return HEADER_FIELDS[name].read(given, name) ?? undefined;
  } catch (error) {
    if (!isPostriderError(error)) throw error;
    throw new PostriderError('INVALID_HEADER', `${error.message}.`, { field: name });
  }
}
