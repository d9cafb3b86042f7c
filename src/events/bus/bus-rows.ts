import type { Database, Queryable } from '../../store/index.js';
import { changeListening, isInTheWay } from '../change-listening.js';

/** What the bus is owed, a row per event, and which events of others were taken. */
export interface OwedEvent {
  id: string;
  tenant: string;
  type: string;
  payload: Record<string, unknown>;
}

/** Has the ledger note these events from now on. False while a long transaction is in the way: try again. */
export async function listenForBus(database: Database, events: readonly string[]): Promise<boolean> {
  try {
    await database.query('select postrider.listen_for_bus($1::text[])', [[...events].sort()]);
    return true;
  } catch (error) {
    if (isInTheWay(error)) return false;
    throw error;
  }
}

/** Nothing is noted any more; returns how many events nobody will publish now. */
export async function leaveBus(database: Database): Promise<number> {
  const left = await changeListening<{ forgotten: number }>(
    database,
    'select postrider.leave_bus() as forgotten',
  );
  return left[0]?.forgotten ?? 0;
}

/** How many events wait for the broker; null when none are noted. */
export async function countOwedEvents(database: Queryable): Promise<number | null> {
  const { rows } = await database.query<{ owed: number }>(
    'select (select count(*)::int from postrider.bus_events) as owed from postrider.bus_listening',
  );
  return rows[0]?.owed ?? null;
}

/** The oldest first. Whoever dies with them leaves them to others when the lease ends. */
export async function claimOwedEvents(
  database: Database,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<OwedEvent[]> {
  const { rows } = await database.query<OwedEvent & { payload: string }>(CLAIM, [limit, leaseMs]);
  return rows
    .map((row) => ({ ...row, payload: JSON.parse(row.payload) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The broker has them, whoever holds the lease by now. */
export async function removeOwedEvents(database: Queryable, ids: readonly string[]): Promise<void> {
  await database.query(
    { name: 'events_remove_owed', text: 'delete from postrider.bus_events where id = any ($1::uuid[])' },
    [ids],
  );
}

export async function releaseOwedEvents(database: Queryable, ids: readonly string[]): Promise<void> {
  await database.query('update postrider.bus_events set leased_until = null where id = any ($1::uuid[])', [
    ids,
  ]);
}

/** Those of emails that are erased, and every one that names the person. */
export async function eraseOwedEvents(
  database: Queryable,
  { emailIds = [], tenant = null, pattern = null }: ErasedEvents,
): Promise<void> {
  await database.query(
    `delete from postrider.bus_events e where e.email_id = any ($1::uuid[])
       or ($3::text is not null and ($2::text is null or e.tenant = $2) and e.payload::text ~* $3)`,
    [emailIds, tenant, pattern],
  );
}

export interface ErasedEvents {
  emailIds?: readonly string[];
  tenant?: string | null;
  /** Finds the person in text. */
  pattern?: string | null;
}

/** False when it was taken before. Whoever takes the same one at the same time waits for this transaction's end. */
export async function noteReceived(
  tx: Queryable,
  event: { id: string; type: string; source: string | null },
): Promise<boolean> {
  const { rows } = await tx.query(
    `insert into postrider.bus_received (source, type, event_id) values ($1, $2, $3)
     on conflict do nothing returning event_id`,
    [event.source ?? '', event.type, event.id],
  );
  return rows.length > 0;
}

/** Events nobody has published for so long, and the memory of events that were taken. Returns how many of the first. */
export async function forgetOldBusRows(database: Database, days: number): Promise<number> {
  await database.query(
    `delete from postrider.bus_received where received_at < now() - $1::int * interval '1 day'`,
    [days],
  );
  const { rows } = await database.query(
    `delete from postrider.bus_events where id < postrider.id_floor(now() - $1::int * interval '1 day') returning id`,
    [days],
  );
  return rows.length;
}

const CLAIM = {
  name: 'events_claim_owed',
  text: `
    update postrider.bus_events e
    set leased_until = clock_timestamp() + $2::float8 * interval '1 millisecond'
    where e.id in (
      select x.id from postrider.bus_events x where x.leased_until is null or x.leased_until <= clock_timestamp()
      order by x.id limit $1::int for update skip locked)
    returning e.id, e.tenant, e.type, e.payload::text as payload`,
};
