import { PostriderError } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';
import { EPOCH_IS_KNOWN } from './server-epoch.js';

/**
 * Takes an email back, or moves it to another time, until its attempt has begun. A worker that holds
 * the row but has not begun finds its claim gone when it opens it or begins, and sends nothing.
 */
export async function cancelEmail(
  tx: Queryable,
  id: string,
  options: Scope & { by?: string } = {},
): Promise<void> {
  const { rows } = await tx.query(CANCEL, [
    id,
    options.tenant ?? null,
    JSON.stringify({ by: options.by ?? 'caller' }),
  ]);
  if (rows.length === 0) await refuse(tx, id, options);
}

export async function rescheduleEmail(
  tx: Queryable,
  id: string,
  at: Date,
  options: Scope = {},
): Promise<void> {
  const { rows } = await tx.query(RESCHEDULE, [id, options.tenant ?? null, at.toISOString()]);
  if (rows.length === 0) await refuse(tx, id, options);
}

interface Scope {
  /** Only an email of this tenant. */
  tenant?: string;
}

async function refuse(tx: Queryable, id: string, scope: Scope): Promise<never> {
  const { rows } = await tx.query(
    'select 1 from postrider.emails where id = $1 and ($2::text is null or tenant = $2)',
    [id, scope.tenant ?? null],
  );
  if (rows.length === 0)
    throw new PostriderError('EMAIL_NOT_FOUND', `There is no email ${id}.`, { field: 'emailId' });
  throw new PostriderError('EMAIL_NOT_CANCELLABLE', 'The email is being sent or has ended already.', {
    field: 'emailId',
  });
}

// Marks are written without waiting for the disk: until the epoch is known, what is claimed may have lost its own.
export const NOT_BEGUN = (q: string) => `not ${q}.begun and (${q}.owner is null or ${EPOCH_IS_KNOWN})`;

const CANCEL = `
  with gone as (
    delete from postrider.email_queue q
    where id = $1 and ${NOT_BEGUN('q')} and ($2::text is null or tenant = $2) returning id
  )
  insert into postrider.email_facts (email_id, type, final_status, detail)
  select id, 'CANCELLED', 'cancelled', $3::text::jsonb from gone returning email_id`;

const RESCHEDULE = `
  with moved as (
    update postrider.email_queue q
    set due_at = $3::timestamptz, ready = false, scheduled = true, owner = null, opened = false, claimed_at = null,
      rung_at = null, token = token + 1
    where id = $1 and ${NOT_BEGUN('q')} and not suspect and ($2::text is null or tenant = $2) returning id
  )
  insert into postrider.email_facts (email_id, type, detail)
  select id, 'RESCHEDULED', jsonb_build_object('scheduledAt', $3::timestamptz) from moved returning email_id`;
