/**
 * The query of a request as an object: numbers where a name means one, texts elsewhere. A name given twice is
 * refused, since nobody can say which of the two was meant; what the names mean is checked by the room.
 */
import type { Context } from 'hono';
import { PostriderError } from '../../kernel/index.js';

export function readQuery(c: Context): Record<string, string | number> {
  const query: Record<string, string | number> = {};
  for (const [name, values] of Object.entries(c.req.queries())) {
    const value = values[0] ?? '';
    if (values.length > 1) throw refused(name, 'is given more than once');
    if (NUMBERS.has(name) && !/^\d{1,9}(?:\.\d{1,6})?$/.test(value)) throw refused(name, 'must be a number');
    query[name] = NUMBERS.has(name) ? Number(value) : value;
  }
  return query;
}

const NUMBERS = new Set(['limit', 'page', 'days']);

function refused(field: string, what: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} ${what}.`, { field });
}
