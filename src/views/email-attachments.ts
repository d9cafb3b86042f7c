import type { Queryable } from '../store/index.js';
import type { HoldContent } from './content-bytes.js';
import { UNKNOWN_TYPE } from './read-files.js';
import { shownFiles } from './shown-columns.js';

/**
 * The files an email was sent with: what they are, and one of them whole. They are there as long as the content is;
 * a list of names reads no file.
 */
export interface EmailAttachments {
  /** Its type holds codes or links: its content is nobody's to read but its owner's. */
  sensitive: boolean;
  /** null once retention has removed the content. */
  attachments: AttachmentEntry[] | null;
}

export interface AttachmentEntry {
  /** Its place among the email's files, from 0. */
  index: number;
  filename: string;
  contentType: string;
  contentId: string | null;
  bytes: number;
}

export async function findAttachments(
  database: Queryable,
  emailId: string,
  { tenant }: { tenant?: string | undefined } = {},
): Promise<EmailAttachments | null> {
  const { rows } = await database.query<ListRow>(LIST, [emailId, tenant ?? null]);
  const [first] = rows;
  if (!first) return null;
  const { sensitive, kept } = first;
  if (!kept) return { sensitive, attachments: null };
  const attachments = rows.flatMap(({ index, filename, content_type, content_id, bytes }) =>
    index === null || filename === null || bytes === null
      ? []
      : [{ index, filename, contentType: content_type ?? UNKNOWN_TYPE, contentId: content_id, bytes }],
  );
  return { sensitive, attachments };
}

export interface AttachmentFile extends AttachmentEntry {
  sensitive: boolean;
  content: Buffer<ArrayBuffer>;
}

export async function findAttachment(
  database: Queryable,
  emailId: string,
  index: number,
  { tenant, hold }: { tenant?: string | undefined; hold?: HoldContent | undefined } = {},
): Promise<AttachmentFile | null> {
  if (hold) {
    const sizes = await database.query<{ bytes: number }>(ONE_SIZE, [emailId, tenant ?? null, index]);
    hold(sizes.rows[0]?.bytes ?? 0);
  }
  const { rows } = await database.query<FileRow>(ONE, [emailId, tenant ?? null, index]);
  const [row] = rows;
  if (!row) return null;
  const content = Buffer.from(row.content, 'base64');
  return {
    index,
    filename: row.filename,
    contentType: row.content_type ?? UNKNOWN_TYPE,
    contentId: row.content_id,
    bytes: content.length,
    sensitive: row.sensitive,
    content,
  };
}

interface ListRow {
  sensitive: boolean;
  kept: boolean;
  index: number | null;
  filename: string | null;
  content_type: string | null;
  content_id: string | null;
  bytes: number | null;
}

interface FileRow {
  sensitive: boolean;
  filename: string;
  content_type: string | null;
  content_id: string | null;
  content: string;
}

// Base64 is strict, so its length and padding give the size.
const LIST = `
  select e.sensitive, b.email_id is not null as kept, (a.position - 1)::int as index,
    a.file ->> 'filename' as filename, a.file ->> 'contentType' as content_type, a.file ->> 'contentId' as content_id,
    (length(a.file ->> 'content') / 4 * 3
      - length(right(a.file ->> 'content', 2)) + length(rtrim(right(a.file ->> 'content', 2), '=')))::int as bytes
  from postrider.emails e
  left join postrider.email_bodies b on b.email_id = e.id
  left join lateral jsonb_array_elements(${shownFiles('b.attachments')}) with ordinality a(file, position)
    on jsonb_typeof(a.file -> 'filename') = 'string' and jsonb_typeof(a.file -> 'content') = 'string'
  where e.id = $1::uuid and ($2::text is null or e.tenant = $2)
  order by a.position`;

const oneFile = (columns: string) => `
  select ${columns}
  from postrider.emails e join postrider.email_bodies b on b.email_id = e.id
  cross join lateral (select (${shownFiles('b.attachments')}) -> $3::int as file) f
  where e.id = $1::uuid and ($2::text is null or e.tenant = $2)
    and jsonb_typeof(f.file -> 'filename') = 'string' and jsonb_typeof(f.file -> 'content') = 'string'`;

const ONE = oneFile(`e.sensitive, f.file ->> 'filename' as filename, f.file ->> 'contentType' as content_type,
    f.file ->> 'contentId' as content_id, f.file ->> 'content' as content`);
const ONE_SIZE = oneFile("octet_length(f.file ->> 'content') as bytes");
