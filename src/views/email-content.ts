import type { Mailbox } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';
import { asObject } from './driver-values.js';

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
  replyTo: Mailbox[];
  headers: Record<string, string>;
  category: string | null;
  html: string | null;
  text: string | null;
  attachments: StoredAttachment[];
}

export interface StoredAttachment {
  filename: string;
  contentType?: string;
  contentId?: string;
  /** base64 */
  content: string;
}

export async function findStoredEmail(database: Queryable, id: string): Promise<StoredEmail | null> {
  const { rows } = await database.query<Row>(FIND, [id]);
  const [row] = rows;
  if (!row) return null;
  const {
    from = null,
    to = [],
    cc = [],
    bcc = [],
    replyTo = [],
    ...message
  } = asObject(row.message) as Message;
  return {
    ...{ tenant: row.tenant, sensitive: row.sensitive, kept: row.kept, from, to, cc, bcc, replyTo },
    headers: message.headers ?? {},
    category: message.category ?? null,
    ...{ html: row.html, text: row.text },
    attachments: row.attachments === null ? [] : (JSON.parse(row.attachments) as StoredAttachment[]),
  };
}

interface Message extends Partial<Record<'to' | 'cc' | 'bcc' | 'replyTo', Mailbox[]>> {
  from?: Mailbox;
  headers?: Record<string, string>;
  category?: string;
}

interface Row {
  tenant: string;
  sensitive: boolean;
  kept: boolean;
  message: Record<string, unknown> | string;
  html: string | null;
  text: string | null;
  attachments: string | null;
}

const FIND = {
  name: 'views_stored_email',
  text: `
    select e.tenant, e.sensitive, b.email_id is not null as kept, e.message,
      case when not e.sensitive then b.html end as html, case when not e.sensitive then b.text end as text,
      case when not e.sensitive then b.attachments::text end as attachments
    from postrider.emails e left join postrider.email_bodies b on b.email_id = e.id where e.id = $1::uuid`,
};
