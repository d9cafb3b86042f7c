/**
 * Which emails a list is about, as conditions on the tables that can answer them by index. Times are those of
 * acceptance, because ids carry them: a range of time is a range of the primary key.
 */
export interface EmailFilter {
  tenant?: string;
  /** What ended is found by how it ended, what waits in the queue; `dead` is failed or unknown. */
  status?: string;
  type?: string;
  /** The first recipient, whatever its case; several where one address has more than one small form. */
  recipients?: readonly string[];
  userId?: string;
  provider?: string;
  /** Only these, as a provider's id led to them. */
  ids?: readonly string[];
  since?: Date;
  until?: Date;
}

/** A select of ids and where its conditions may be added; values are collected as they are named. */
export interface Source {
  from: string;
  id: string;
  where: string[];
  values: unknown[];
}

export function sourceOf(filter: EmailFilter): Source {
  const source = startOf(filter);
  const { where, values, id } = source;
  const value = (v: unknown) => `$${values.push(v)}`;
  if (filter.since)
    where.push(`${id} >= postrider.id_floor(${value(filter.since.toISOString())}::timestamptz)`);
  if (filter.until)
    where.push(`${id} < postrider.id_floor(${value(filter.until.toISOString())}::timestamptz)`);
  if (filter.ids) where.push(`${id} = any (${value(filter.ids)}::uuid[])`);
  const about: string[] = [];
  if (filter.tenant !== undefined) about.push(`e.tenant = ${value(filter.tenant)}`);
  if (filter.type !== undefined) about.push(`e.type = ${value(filter.type)}`);
  if (filter.recipients) about.push(isOneOf(filter.recipients.map((address) => value(address))));
  if (filter.userId !== undefined) about.push(`e.user_id = ${value(filter.userId)}`);
  if (about.length > 0 && id !== 'e.id') source.from += ` join postrider.emails e on e.id = ${id}`;
  where.push(...about);
  const tried: string[] = [];
  if (filter.provider !== undefined) tried.push(`provider = ${value(filter.provider)}`);
  if (tried.length > 0) {
    where.push(
      id === 'a.email_id'
        ? tried.map((condition) => `a.${condition}`).join(' and ')
        : `exists (select 1 from postrider.email_attempts t where t.email_id = ${id} and ${tried.map((condition) => `t.${condition}`).join(' and ')})`,
    );
  }
  return source;
}

/** As the index has it: one of them is equality, so that its emails come in their order and a page reads no more of them. */
function isOneOf(addresses: readonly string[]): string {
  const small = addresses.map((address) => `lower(${address}::text)`);
  const any = small.length === 1 ? small[0] : `any (array[${small.join(', ')}])`;
  return `lower(e.to_address) collate "C" = ${any}`;
}

const WAITING: Record<string, string> = {
  processing: 'q.owner is not null',
  scheduled: 'q.owner is null and q.scheduled',
  retry: 'q.owner is null and not q.scheduled and q.attempt > 0',
  pending: 'q.owner is null and not q.scheduled and q.attempt = 0',
};

// An end that a person answered with another round is no end any more.
const NOT_REQUEUED = `not exists (select 1 from postrider.email_facts f where f.email_id = a.email_id
  and f.type = 'REQUEUED' and f.detail -> 'afterAttempt' = to_jsonb(a.attempt))`;

function startOf({ status, provider }: EmailFilter): Source {
  const values: unknown[] = [];
  if (status === undefined) {
    // What a provider was asked about has an attempt.
    return provider !== undefined
      ? { from: 'postrider.email_attempts a', id: 'a.email_id', where: [LAST_TRY], values }
      : { from: 'postrider.emails e', id: 'e.id', where: [], values };
  }
  const waiting = WAITING[status];
  if (waiting !== undefined) return { from: 'postrider.email_queue q', id: 'q.id', where: [waiting], values };
  if (status === 'sent')
    return {
      from: 'postrider.email_attempts a',
      id: 'a.email_id',
      where: ["a.final and a.status = 'sent'"],
      values,
    };
  if (status === 'failed' || status === 'unknown' || status === 'dead') {
    // Named once: a status that is said twice is taken for a rare one, and the wrong table is read first.
    const dead = `a.final and a.status ${status === 'dead' ? "in ('failed', 'unknown')" : `= '${status}'`}`;
    return { from: 'postrider.email_attempts a', id: 'a.email_id', where: [dead, NOT_REQUEUED], values };
  }
  const ended = `f.final_status = $${values.push(status)}::postrider.email_status`;
  return { from: 'postrider.email_facts f', id: 'f.email_id', where: [ended], values };
}

const LAST_TRY = `not exists (select 1 from postrider.email_attempts t
  where t.email_id = a.email_id and t.attempt > a.attempt)`;
