/**
 * Paging as Resend has it: `limit` 1 to 100, `after` or `before` an id, both exclusive; newest first. Lists that were
 * there before paging give everything when no limit is said, which is what `all` is for.
 */
import type { Context } from 'hono';
import { isUuid, PostriderError } from '../../../kernel/index.js';

export interface PageQuery {
  limit: number;
  after: string | null;
  before: string | null;
}

export function pageQuery(c: Context, options: { all?: boolean } = {}): PageQuery {
  const { limit, after, before } = c.req.query();
  if (after !== undefined && before !== undefined) throw refused('before', 'and after exclude each other');
  return {
    limit:
      limit === undefined
        ? options.all && after === undefined && before === undefined
          ? ALL
          : 20
        : limitOf(limit),
    after: idOf('after', after),
    before: idOf('before', before),
  };
}

/** More than any list that is given whole has. */
const ALL = 10_000;

function limitOf(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= 100) return limit;
  throw refused('limit', 'must be a whole number from 1 to 100');
}

function idOf(field: string, text: string | undefined): string | null {
  if (text === undefined) return null;
  if (isUuid(text)) return text.toLowerCase();
  throw refused(field, 'must be the id of an entry of the list');
}

function refused(field: string, what: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} ${what}.`, { field });
}

export function listOf<T>(
  data: readonly T[],
  hasMore: boolean,
): { object: 'list'; has_more: boolean; data: readonly T[] } {
  return { object: 'list', has_more: hasMore, data };
}

/** A page of what is in memory already, newest first. */
export function cutPage<T extends { id: string }>(
  entries: readonly T[],
  { limit, after, before }: PageQuery,
) {
  const newestFirst = [...entries].sort((a, b) => (a.id < b.id ? 1 : -1));
  if (before !== null) {
    const earlier = newestFirst.filter((entry) => entry.id > before);
    return listOf(earlier.slice(-limit), earlier.length > limit);
  }
  const later = after === null ? newestFirst : newestFirst.filter((entry) => entry.id < after);
  return listOf(later.slice(0, limit), later.length > limit);
}
