import type { Mailbox } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';
import { contentBytes, type HoldContent } from './content-bytes.js';
import { readMessage } from './read-message.js';
import { readObject, shownBody, shownMessage, shownObject, shownText, shownTime } from './shown-columns.js';

/**
 * Emails as whoever handed them in wrote them: sender, recipients, subject, bodies while they are kept, and the last
 * thing that happened. Of one tenant. The content of sensitive types is never shown, and files are not read.
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
}

export async function findEnvelope(
  database: Queryable,
  tenant: string,
  id: string,
  hold?: HoldContent,
): Promise<(EmailEnvelope & EmailContent) | null> {
  hold?.(await contentBytes(database, id, { part: 'bodies', tenant }));
  const { rows } = await database.query<EnvelopeRow & ContentRow>(FIND, [tenant, id]);
  const [row] = rows;
  return row ? { ...present(row), html: row.html, text: row.text } : null;
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
  to_address: string;
  subject: string;
  message: string;
  metadata: string;
  status: string;
  told: string | null;
  scheduled_at: string | null;
  moved_to: string | null;
  created_at: string;
}

interface ContentRow {
  html: string | null;
  text: string | null;
}

function present(row: EnvelopeRow): EmailEnvelope {
  const { from, to, cc, bcc, replyTo } = readMessage(row.message);
  return {
    id: row.id,
    messageId: row.message_id,
    ...{
      from,
      to: to.length + cc.length + bcc.length > 0 ? to : [{ address: row.to_address }],
      cc,
      bcc,
      replyTo,
    },
    subject: row.subject,
    metadata: readObject(row.metadata),
    status: row.status,
    told: row.told,
    // Where an email was moved, the last time it was moved to holds.
    scheduledAt: row.moved_to === null ? row.scheduled_at : inUtc(row.moved_to),
    createdAt: row.created_at,
  };
}

/** As JSON has it: with the offset of the session that wrote it. */
function inUtc(text: string): string {
  const at = AS_JSON.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? text : new Date(at).toISOString();
}

const AS_JSON = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

const COLUMNS = `e.id, ${shownText('l.message_id')} as message_id, ${shownText('e.to_address')} as to_address,
  ${shownText('e.subject')} as subject, ${shownMessage('e.message', { withHeaders: false })} as message,
  ${shownObject('e.metadata')} as metadata, l.status::text as status, ${shownTime('e.created_at')} as created_at,
  ${shownTime('e.scheduled_at')} as scheduled_at,
  (select ${shownText("(f.detail ->> 'scheduledAt')", 100)} from postrider.email_facts f
    where f.email_id = e.id and f.type = 'RESCHEDULED' order by f.created_at desc limit 1) as moved_to,
  (select f.type::text from postrider.email_facts f where f.email_id = e.id and f.type in
    ('DELIVERED', 'DELAYED', 'BOUNCED', 'COMPLAINED', 'OPENED', 'CLICKED') order by f.created_at desc limit 1) as told`;

const FIND = {
  name: 'views_envelope',
  text: `
    select ${COLUMNS}, case when not e.sensitive then ${shownBody('b.html')} end as html,
      case when not e.sensitive then ${shownBody('b.text')} end as text
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
