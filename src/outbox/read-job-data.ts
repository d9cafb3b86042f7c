import type { Queryable } from '../store/index.js';

/** What a job in a broker says of an email, for brokers whose contract asks for more than its id. */
export interface JobData {
  requestId: string;
  to: string;
  subject: string;
  recipient: { recipientId?: string; externalId?: string; email: string } | null;
}

export async function readJobData(
  database: Queryable,
  ids: readonly string[],
): Promise<Map<string, JobData>> {
  const { rows } = await database.query<Row>(READ, [ids]);
  return new Map(rows.map((row) => [row.id, asJobData(row)]));
}

interface Row {
  id: string;
  request_id: string | null;
  to_address: string;
  subject: string;
  recipient_id: string | null;
  recipient_external_id: string | null;
}

function asJobData(row: Row): JobData {
  const { recipient_id: recipientId, recipient_external_id: externalId, to_address: to } = row;
  const known = recipientId !== null || externalId !== null;
  return {
    requestId: row.request_id ?? row.id,
    to,
    subject: row.subject,
    recipient: known
      ? { ...(recipientId && { recipientId }), ...(externalId && { externalId }), email: to }
      : null,
  };
}

const READ = {
  name: 'outbox_read_job_data',
  text: `
    -- a row that no way in accepted may hold texts of any length
    select e.id, substr(e.request_id, 1, 128) as request_id, substr(e.to_address, 1, 320) as to_address,
      substr(e.subject, 1, 998) as subject, e.recipient_id, substr(e.recipient_external_id, 1, 128) as recipient_external_id
    from unnest($1::uuid[]) b(id)
    join lateral (select * from postrider.emails x where x.id = b.id) e on true`,
};
