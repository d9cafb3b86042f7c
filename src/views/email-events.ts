import type { Queryable } from '../store/index.js';
import { readObject, shownObject, shownTime } from './shown-columns.js';

/** One entry of an email's journal. */
export interface EmailEvent {
  emailLogId: string;
  /** From 1, without gaps. */
  sequence: number;
  type: string;
  metadata: Record<string, unknown>;
  createdAt: string;
}

/** The journal in order; empty when there is no such email. */
export async function listEmailEvents(
  database: Queryable,
  id: string,
  options: { tenant?: string } = {},
): Promise<EmailEvent[]> {
  const { rows } = await database.query<EventRow>(LIST, [id, options.tenant ?? null]);
  return rows.map((row) => ({
    emailLogId: row.email_log_id,
    sequence: row.sequence,
    type: row.type,
    metadata: readObject(row.metadata),
    createdAt: row.created_at,
  }));
}

interface EventRow {
  email_log_id: string;
  sequence: number;
  type: string;
  metadata: string;
  created_at: string;
}

const LIST = {
  name: 'views_email_events',
  text: `
    select v.email_log_id, v.sequence, v.type::text as type, ${shownObject('v.metadata')} as metadata,
      ${shownTime('v.created_at')} as created_at
    from postrider.email_events v
    where v.email_log_id = $1
      and ($2::text is null or exists (select 1 from postrider.emails e where e.id = $1 and e.tenant = $2))
    order by v.sequence`,
};
