import { type EventType, findIllegalEvent } from '../../../src/outbox/index.js';

/**
 * Joins what was accepted, what the ledger says and what the sink received, and names every way in
 * which they disagree: lost, unfinished, ghost, silent duplicate, forbidden repeat, illegal history, sent
 * after its end. A ledger that ended well gives an empty list.
 */
export interface LedgerView {
  query<Row>(sql: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

export async function checkLedger(
  ledger: LedgerView,
  accepted: Iterable<string>,
  taken: ReadonlyMap<string, readonly number[]>,
): Promise<string[]> {
  const problems: string[] = [];
  const { rows: logs } = await ledger.query<LogRow>(
    'select id, status::text as status, attempts, possible_duplicate, delivery from postrider.email_logs',
  );
  const { rows: events } = await ledger.query<EventRow>(
    `select email_log_id as id, sequence, type::text as type, metadata
     from postrider.email_events order by email_log_id, sequence`,
  );
  const { rows: waiting } = await ledger.query<{ id: string }>('select id from postrider.email_queue');
  const byId = new Map(logs.map((log) => [log.id, log]));
  const journal = group(events);
  for (const id of accepted)
    if (!byId.has(id)) problems.push(`lost: ${id} was accepted but is not in the ledger`);
  for (const { id } of waiting) problems.push(`unfinished: ${id} is still in the queue`);
  for (const id of taken.keys())
    if (!byId.has(id)) problems.push(`ghost: ${id} was delivered but never accepted`);
  for (const log of logs) {
    const copies = taken.get(log.id)?.length ?? 0;
    const history = journal.get(log.id) ?? [];
    const types = history.map((event) => event.type as EventType);
    if (log.status === 'sent' && copies === 0)
      problems.push(`ghost: ${log.id} is sent but nobody received it`);
    if (copies > 0 && ['cancelled', 'expired', 'suppressed'].includes(log.status)) {
      problems.push(`sent after the end: ${log.id} is ${log.status} but was received`);
    }
    if (copies > 0 && log.status === 'failed' && !types.includes('OUTCOME_UNKNOWN')) {
      problems.push(`wrong end: ${log.id} is failed but was received`);
    }
    const unknowns = types.filter((type) => type === 'OUTCOME_UNKNOWN').length;
    if (copies > 1 + unknowns) problems.push(`silent duplicate: ${log.id} was received ${copies} times`);
    // A person who asked for another round was told that a second copy is possible.
    const rounds = 1 + types.filter((type) => type === 'REQUEUED').length;
    if (copies > rounds && log.delivery === 'at-most-once')
      problems.push(`repeated: ${log.id} is at-most-once but was received ${copies} times`);
    const illegal = findIllegalEvent(types);
    if (illegal) problems.push(`illegal history: ${log.id} has ${types.join(' ')} (at ${illegal.index})`);
    history.forEach((event, index) => {
      if (event.sequence !== index + 1)
        problems.push(`gap: ${log.id} has sequence ${event.sequence} at ${index + 1}`);
    });
  }
  return problems;
}

interface LogRow {
  id: string;
  status: string;
  attempts: number;
  possible_duplicate: boolean;
  delivery: string;
}

interface EventRow {
  id: string;
  sequence: number;
  type: string;
  metadata: Record<string, unknown>;
}

function group(events: EventRow[]): Map<string, EventRow[]> {
  const map = new Map<string, EventRow[]>();
  for (const event of events) map.set(event.id, [...(map.get(event.id) ?? []), event]);
  return map;
}
