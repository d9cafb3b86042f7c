import { killPoint } from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';
import { NOT_BEGUN } from './cancel-email.js';
import { takeTurn } from './dead-letters.js';
import type { StoredMessage } from './open-claims.js';
import { ERASED, type Person, withoutPerson } from './without-person.js';

/**
 * The one exception to "never updated": a person is taken out of the ledger. An email to them alone goes with all its
 * rows, cancelled first when it waits; one that others have a part in keeps its place, without them. Goes over the
 * ledger in small steps, each a transaction, and may be repeated: what is done stays done, what was in flight is left
 * and counted.
 */
export interface ErasedEmails {
  /** Gone with everything. */
  emails: number;
  /** Of those, how many were still waiting. */
  cancelled: number;
  /** Kept for others, without the person. */
  redacted: number;
  /** In flight, or waiting for others with the person in their content: another run is needed. */
  left: number;
}

export interface EraseOptions {
  onStep?(looked: number): void;
  /** The emails that are gone, for rooms that name them. */
  onGone?(emailIds: readonly string[]): Promise<void>;
}

const WINDOW = 2000;
const BATCH = 100;
const FIRST = '00000000-0000-0000-0000-000000000000';

export async function eraseEmails(
  database: Database,
  person: Person,
  options: EraseOptions = {},
): Promise<ErasedEmails> {
  const total: ErasedEmails = { emails: 0, cancelled: 0, redacted: 0, left: 0 };
  let looked = 0;
  let after = FIRST;
  for (;;) {
    const window = await nextWindow(database, after);
    if (window.last === null) return total;
    const found = await findIn(database, person, { after, last: window.last });
    for (let at = 0; at < found.length; at += BATCH) {
      const batch = found.slice(at, at + BATCH);
      const done = await eraseBatch(database, person, batch);
      killPoint('erase:batch');
      for (const name of ['emails', 'cancelled', 'redacted', 'left'] as const) total[name] += done[name];
      if (done.gone.length > 0) await options.onGone?.(done.gone);
    }
    looked += window.count;
    options.onStep?.(looked);
    after = window.last;
  }
}

interface Found {
  id: string;
  alone: boolean;
}

/** Without the tenant's order of things: the ledger is walked by its primary key, so that no statement is long. */
async function nextWindow(
  database: Queryable,
  after: string,
): Promise<{ count: number; last: string | null }> {
  const { rows } = await database.query<{ count: number; last: string | null }>(
    `select count(*)::int as count, max(id::text) as last
     from (select id from postrider.emails where id > $1 order by id limit ${WINDOW}) x`,
    [after],
  );
  return rows[0] ?? { count: 0, last: null };
}

async function findIn(
  database: Queryable,
  person: Person,
  { after, last }: { after: string; last: string },
): Promise<Found[]> {
  const { rows } = await database.query<{ id: string; message: StoredMessage | string; known: boolean }>(
    FIND,
    [after, last, person.tenant, person.pattern, person.ids],
  );
  return rows.map(({ id, message, known }) => {
    const { others } = withoutPerson(parsed(message), person, known);
    return { id, alone: others.length === 0 };
  });
}

async function eraseBatch(
  database: Database,
  person: Person,
  batch: readonly Found[],
): Promise<ErasedEmails & { gone: string[] }> {
  return database.transaction(async (tx) => {
    await takeTurn(tx);
    const alone = batch.filter((found) => found.alone).map((found) => found.id);
    const shared = batch.filter((found) => !found.alone).map((found) => found.id);
    const { rows: taken } = await tx.query<{ id: string }>(TAKE_BACK, [alone]);
    const { rows: busy } = await tx.query<{ id: string }>(
      'select id from postrider.email_queue where id = any ($1::uuid[])',
      [alone],
    );
    const inFlight = new Set(busy.map((row) => row.id));
    const gone = alone.filter((id) => !inFlight.has(id));
    for (const [table, key] of TABLES)
      await tx.query(`delete from postrider.${table} where ${key} = any ($1::uuid[])`, [gone]);
    let redacted = 0;
    let left = inFlight.size;
    for (const id of shared) {
      const outcome = await redact(tx, person, id);
      if (outcome.done) redacted += 1;
      if (outcome.left) left += 1;
    }
    return { emails: gone.length, cancelled: taken.length, redacted, left, gone };
  });
}

const TABLES = [
  ['email_bodies', 'email_id'],
  ['email_attempts', 'email_id'],
  ['email_facts', 'email_id'],
  ['emails', 'id'],
] as const;

/** An email that others have a part in. Content that still has to go to them is left as it is, and said to be. */
async function redact(tx: Queryable, person: Person, id: string): Promise<{ done: boolean; left: boolean }> {
  const { rows: queued } = await tx.query<{ free: boolean; remaining: string[] | null }>(QUEUED, [id]);
  const waits = queued[0];
  if (waits && !waits.free) return { done: false, left: true };
  const { rows } = await tx.query<{ message: StoredMessage | string; known: boolean; told: boolean }>(READ, [
    id,
    person.pattern,
    person.ids,
  ]);
  const email = rows[0];
  if (!email) return { done: false, left: false };
  const { message, to, others } = withoutPerson(parsed(email.message), person, email.known);
  if (waits) {
    // Named one by one: only these are written to, whatever the header says.
    const rest = others.filter((address) => waits.remaining?.includes(address) ?? true);
    await tx.query(rest.length > 0 ? KEEP_REMAINING : END_WAITING, rest.length > 0 ? [id, rest] : [id]);
  }
  await tx.query(waits ? REDACT_WAITING : REDACT_ENDED, [
    id,
    person.pattern,
    ERASED,
    JSON.stringify(message),
    to,
    person.ids,
  ]);
  await tx.query(REDACT_ATTEMPTS, [id, person.pattern, ERASED]);
  await tx.query(REDACT_FACTS, [id, person.pattern, ERASED]);
  // A body that others still wait for goes later; where the person is in it, or it was for them, it must.
  if (!waits && (email.told || others.length < countOf(parsed(email.message))))
    await tx.query('delete from postrider.email_bodies where email_id = $1', [id]);
  return { done: true, left: waits !== undefined && email.told };
}

function countOf({ to, cc = [], bcc = [] }: StoredMessage): number {
  return (to ?? []).length + cc.length + bcc.length;
}

function parsed(message: StoredMessage | string): StoredMessage {
  return typeof message === 'string' ? (JSON.parse(message) as StoredMessage) : message;
}

const KNOWN = (ids: string) => `coalesce((e.tenant || chr(31) || e.user_id) = any (${ids}::text[])
  or (e.tenant || chr(31) || e.recipient_external_id) = any (${ids}::text[]), false)`;

const FIND = `
  select e.id, e.message, ${KNOWN('$5')} as known
  from postrider.emails e
  where e.id > $1 and e.id <= $2 and ($3::text is null or e.tenant = $3)
    and (${KNOWN('$5')}
      or concat_ws(' ', e.to_address, e.subject, e.request_id, e.user_id, e.message::text, e.metadata::text) ~* $4
      or exists (select 1 from postrider.email_attempts a where a.email_id = e.id
        and concat_ws(' ', a.error_message, a.detail::text) ~* $4)
      or exists (select 1 from postrider.email_facts f where f.email_id = e.id and f.detail::text ~* $4)
      or exists (select 1 from postrider.email_bodies b where b.email_id = e.id
        and (b.html ~* $4 or b.text ~* $4 or b.subject ~* $4)))
  order by e.id`;

const TAKE_BACK = `
  with free as materialized (
    select q.id from postrider.email_queue q where q.id = any ($1::uuid[]) and ${NOT_BEGUN('q')}
    for update skip locked
  )
  delete from postrider.email_queue q using free where q.id = free.id returning q.id`;

const QUEUED = `
  select coalesce(f.free, false) as free, q.remaining from postrider.email_queue q
  left join lateral (
    select true as free from postrider.email_queue x where x.id = q.id and x.owner is null for update skip locked
  ) f on true
  where q.id = $1`;

const READ = `
  select e.message, ${KNOWN('$3')} as known,
    e.subject ~* $2 or exists (select 1 from postrider.email_bodies b where b.email_id = e.id
      and (b.html ~* $2 or b.text ~* $2 or b.subject ~* $2)) as told
  from postrider.emails e where e.id = $1`;

const KEEP_REMAINING = 'update postrider.email_queue set remaining = $2::text[] where id = $1';

const END_WAITING = `
  with gone as (delete from postrider.email_queue where id = $1 returning id)
  insert into postrider.email_facts (email_id, type, final_status, detail)
  select id, 'CANCELLED', 'cancelled', '{"by": "erasure"}' from gone`;

const redactEmail = (subject: string) => `
  update postrider.emails e
  set message = $4::text::jsonb, to_address = $5, subject = ${subject},
    request_id = regexp_replace(e.request_id, $2, $3, 'gi'),
    metadata = regexp_replace(e.metadata::text, $2, $3, 'gi')::jsonb,
    user_id = case when ${KNOWN('$6')} then null else regexp_replace(e.user_id, $2, $3, 'gi') end,
    recipient_id = case when ${KNOWN('$6')} then null else e.recipient_id end,
    recipient_external_id = case when ${KNOWN('$6')} then null else e.recipient_external_id end
  where e.id = $1`;

const REDACT_ENDED = redactEmail("regexp_replace(e.subject, $2, $3, 'gi')");
// The worker compares subject and body with what was accepted.
const REDACT_WAITING = redactEmail('e.subject');

const REDACT_ATTEMPTS = `
  update postrider.email_attempts set error_message = regexp_replace(error_message, $2, $3, 'gi'),
    detail = regexp_replace(detail::text, $2, $3, 'gi')::jsonb
  where email_id = $1 and concat_ws(' ', error_message, detail::text) ~* $2`;

const REDACT_FACTS = `
  update postrider.email_facts set detail = regexp_replace(detail::text, $2, $3, 'gi')::jsonb
  where email_id = $1 and detail::text ~* $2`;
