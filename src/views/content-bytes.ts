import type { Queryable } from '../store/index.js';
import { shownBody, shownFiles, shownImages } from './shown-columns.js';

/**
 * How much of the content of an email is read: nothing, its bodies, those with the pictures they show, or everything.
 * What is large is read only where it is needed, and its bytes are known before it is.
 */
export type ContentPart = 'none' | 'bodies' | 'shown' | 'everything';

/** Called with the bytes of the content before it is read; throws where they are too many now. */
export type HoldContent = (bytes: number) => void;

/** 0 where there is no such email, none of it is kept, or its type is sensitive. */
export async function contentBytes(
  database: Queryable,
  id: string,
  { part, tenant }: { part: ContentPart; tenant?: string | undefined },
): Promise<number> {
  if (part === 'none') return 0;
  const { rows } = await database.query<{ bytes: number }>(SIZE, [id, part, tenant ?? null]);
  return rows[0]?.bytes ?? 0;
}

/** Of files as JSON, in the part that is asked for by a parameter. */
export function filesOfPart(column: string, parameter: string): string {
  const files = shownFiles(column);
  return `case ${parameter} when 'everything' then ${files} when 'shown' then ${shownImages(files)} end`;
}

const SIZE = {
  name: 'views_content_bytes',
  text: `
    select (coalesce(octet_length(${shownBody('b.html')}), 0) + coalesce(octet_length(${shownBody('b.text')}), 0)
      + coalesce(octet_length((${filesOfPart('b.attachments', '$2::text')})::text), 0))::int as bytes
    from postrider.emails e join postrider.email_bodies b on b.email_id = e.id
    where e.id = $1::uuid and not e.sensitive and ($3::text is null or e.tenant = $3)`,
};
