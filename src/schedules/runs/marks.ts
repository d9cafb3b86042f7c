import type { Queryable } from '../../store/index.js';

/**
 * For which slot a person was last written to. One row per schedule and person: what keeps a person from being written
 * to twice in a run, and again before the time.
 */
export async function findMarks(
  tx: Queryable,
  schedule: string,
  recipients: readonly string[],
): Promise<Map<string, Date>> {
  if (recipients.length === 0) return new Map();
  const { rows } = await tx.query<{ recipient: string; slot: Date }>(FIND, [schedule, recipients]);
  return new Map(rows.map((row) => [row.recipient, row.slot]));
}

/**
 * False when another run has written to one of them since they were looked up. In order of key, so that two runs that
 * meet in one person wait for each other instead of for ever.
 */
export async function setMarks(
  tx: Queryable,
  schedule: string,
  recipients: readonly string[],
  slot: Date,
): Promise<boolean> {
  if (recipients.length === 0) return true;
  const sorted = [...recipients].sort();
  const { rows } = await tx.query(SET, [schedule, sorted, slot.toISOString()]);
  return rows.length === sorted.length;
}

const FIND = {
  name: 'schedules_find_marks',
  text: 'select recipient, slot from postrider.schedule_marks where schedule = $1 and recipient = any($2::text[])',
};

const SET = {
  name: 'schedules_set_marks',
  text: `
    insert into postrider.schedule_marks as m (schedule, recipient, slot)
    select $1, x.recipient, $3::timestamptz from unnest($2::text[]) with ordinality as x(recipient, position)
    order by x.position
    on conflict (schedule, recipient) do update set slot = excluded.slot where m.slot < excluded.slot
    returning recipient`,
};
