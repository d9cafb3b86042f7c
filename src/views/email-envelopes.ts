import type { Mailbox } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';
import { asIso, asObject } from './driver-values.js';

/**
 * Emails as whoever handed them in wrote them: sender, recipients, subject, content while it is kept, and the last
 * thing that happened. Of one tenant. The content of sensitive types is never shown.
 */
export interface EmailEnvelope {
  id: string;
  messageId: string | null;
  from: Mailbox | null;
  to: Mailbox[];
  cc: Mailbox[];
  bcc: Mailbox[];
  replyTo: Mailbox[];
  subject: string;
  metadata: Record<string, unknown>;
  status: string;
  /** The last a provider told, such as DELIVERED; null: nothing. */
  told: string | null;
  scheduledAt: string | null;
  createdAt: string;
}

export interface EmailContent {
  html: string | null;
  text: string | null;
  attachments: EnvelopeAttachment[];
}

export interface EnvelopeAttachment {
  filename: string;
  contentType: string;
  /** base64 */
  content: string;
  contentId?: string;
}

export async function findEnvelope(
  database: Queryable,
  tenant: string,
  id: string,
): Promise<(EmailEnvelope & EmailContent) | null> {
  const { rows } = await database.query<EnvelopeRow & ContentRow>(FIND, [tenant, id]);
  return rows[0] ? { ...present(rows[0]), ...contentOf(rows[0]) } : null;
}

/** Newest first, or what lies before or after one of them. */
export async function listEnvelopes(
  database: Queryable,
  tenant: string,
  { after, before, limit }: { after: string | null; before: string | null; limit: number },
): Promise<{ emails: EmailEnvelope[]; more: boolean }> {
  const { rows } = await database.query<EnvelopeRow>(before === null ? LIST : LIST_BEFORE, [
    tenant,
    before ?? after,
    limit + 1,
  ]);
  const page = rows.slice(0, limit).map(present);
  return { emails: before === null ? page : page.reverse(), more: rows.length > limit };
}

interface EnvelopeRow {
  id: string;
  message_id: string | null;
  subject: string;
  message: Record<string, unknown>;
  metadata: Record<string, unknown>;
  status: string;
  told: string | null;
  scheduled_at: Date | null;
  created_at: Date;
}

interface ContentRow {
  html: string | null;
  text: string | null;
  attachments: string | null;
}

function present(row: EnvelopeRow): EmailEnvelope {
  const message = asObject(row.message) as Partial<
    Record<'to' | 'cc' | 'bcc' | 'replyTo', Mailbox[]> & { from: Mailbox }
  >;
  return {
    id: row.id,
    messageId: row.message_id,
    from: message.from ?? null,
    to: message.to ?? [],
    cc: message.cc ?? [],
    bcc: message.bcc ?? [],
    replyTo: message.replyTo ?? [],
    subject: row.subject,
    metadata: asObject(row.metadata),
    status: row.status,
    told: row.told,
    scheduledAt: row.scheduled_at === null ? null : asIso(row.scheduled_at),
    createdAt: asIso(row.created_at),
  };
}

function contentOf({ html, text, attachments }: ContentRow): EmailContent {
  return {
    html,
    text,
    attachments: attachments === null ? [] : (JSON.parse(attachments) as EnvelopeAttachment[]),
  };
}

// Where an email was moved, the last time it was moved to holds.
const COLUMNS = `e.id, l.message_id, e.subject, e.message, e.metadata, l.status::text as status, e.created_at,
  coalesce((select (f.detail ->> 'scheduledAt')::timestamptz from postrider.email_facts f
    where f.email_id = e.id and f.type = 'RESCHEDULED' order by f.created_at desc limit 1), e.scheduled_at) as scheduled_at,
  (select f.type::text from postrider.email_facts f where f.email_id = e.id and f.type in
    ('DELIVERED', 'DELAYED', 'BOUNCED', 'COMPLAINED', 'OPENED', 'CLICKED') order by f.created_at desc limit 1) as told`;

const FIND = {
  name: 'views_envelope',
  text: `
    select ${COLUMNS}, case when not e.sensitive then b.html end as html,
      case when not e.sensitive then b.text end as text,
      case when not e.sensitive then b.attachments::text end as attachments
    from postrider.emails e join postrider.email_logs l on l.id = e.id
    left join postrider.email_bodies b on b.email_id = e.id
    where e.id = $2::uuid and e.tenant = $1`,
};

const page = (where: string, order: string) => `
  select ${COLUMNS} from (
    select id from postrider.emails where tenant = $1 and ($2::uuid is null or ${where}) order by id ${order} limit $3::int
  ) p join postrider.emails e on e.id = p.id
  join lateral (select * from postrider.email_logs v where v.id = p.id) l on true
  order by e.id ${order}`;

const LIST = { name: 'views_envelopes', text: page('id < $2', 'desc') };
const LIST_BEFORE = { name: 'views_envelopes_before', text: page('id > $2', 'asc') };
