import type { Mailbox } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';
import { type ContentPart, contentBytes, filesOfPart, type HoldContent } from './content-bytes.js';
import { type ReadFile, readFiles } from './read-files.js';
import { readMessage } from './read-message.js';
import { isCut, shownBody, shownFiles, shownMessage, shownText } from './shown-columns.js';

/**
 * One email as it was accepted: whom it is for and what is in it, while that is kept. The content of sensitive types
 * is never read here.
 */
export interface StoredEmail {
  tenant: string;
  sensitive: boolean;
  /** Retention removes content before the log. */
  kept: boolean;
  from: Mailbox | null;
  to: Mailbox[];
  cc: Mailbox[];
  bcc: Mailbox[];
  /** What To and Cc say where that is not `to` and `cc`. */
  headerRecipients: { to: Mailbox[]; cc: Mailbox[] } | null;
  replyTo: Mailbox[];
  headers: Record<string, string>;
  category: string | null;
  html: string | null;
  text: string | null;
  attachments: ReadFile[];
  /** Its content is larger than any that is accepted, and here only in part. */
  cut: boolean;
}

export interface StoredEmailOptions {
  /** What of its content is read; the rest is null, and there are no files. Defaults to everything. */
  part?: ContentPart;
  /** Of another's emails it says that they are not there. */
  tenant?: string;
  hold?: HoldContent | undefined;
}

export async function findStoredEmail(
  database: Queryable,
  id: string,
  { part = 'everything', tenant, hold }: StoredEmailOptions = {},
): Promise<StoredEmail | null> {
  hold?.(await contentBytes(database, id, { part, tenant }));
  const { rows } = await database.query<Row>(FIND, [id, part, tenant ?? null]);
  const [row] = rows;
  if (!row) return null;
  return {
    ...{ tenant: row.tenant, sensitive: row.sensitive, kept: row.kept, cut: row.cut },
    ...readMessage(row.message),
    ...{ html: row.html, text: row.text },
    attachments: readFiles(row.attachments),
  };
}

interface Row {
  tenant: string;
  sensitive: boolean;
  kept: boolean;
  message: string;
  cut: boolean;
  html: string | null;
  text: string | null;
  attachments: string | null;
}

const FIND = {
  name: 'views_stored_email',
  text: `
    select ${shownText('e.tenant')} as tenant, e.sensitive, b.email_id is not null as kept,
      ${shownMessage('e.message', { withHeaders: true })} as message, coalesce(${isCut('b.html')} or ${isCut('b.text')}
        or (b.attachments is not null and ${shownFiles('b.attachments')} is null), false) as cut,
      case when not e.sensitive and $2::text <> 'none' then ${shownBody('b.html')} end as html,
      case when not e.sensitive and $2::text <> 'none' then ${shownBody('b.text')} end as text,
      case when not e.sensitive then (${filesOfPart('b.attachments', '$2::text')})::text end as attachments
    from postrider.emails e left join postrider.email_bodies b on b.email_id = e.id where e.id = $1::uuid
      and ($3::text is null or e.tenant = $3)`,
};
