import type { Queryable } from '../store/index.js';
import type { Severity } from './alert.js';
import type { Channel } from './episodes.js';

/**
 * The messages about episodes that are due. A claim holds a lease, so a process that dies with a message in hand leaves
 * it to another; the end of an episode is told by a channel only after its beginning was, or could not be.
 */
export interface DueNotification {
  episodeId: string;
  channel: Channel;
  kind: 'begin' | 'end';
  attempt: number;
  alert: string;
  subject: string;
  tenant: string | null;
  severity: Severity;
  sentence: string;
  beganAt: string;
  endedAt: string | null;
}

export async function claimNotifications(
  database: Queryable,
  channels: readonly Channel[],
  leaseMs: number,
): Promise<DueNotification[]> {
  const { rows } = await database.query<DueNotification>(CLAIM, [channels, leaseMs]);
  return rows;
}

/** `retryInMs` null ends it, sent or given up. */
export async function settleNotification(
  database: Queryable,
  { episodeId, channel, kind, attempt }: DueNotification,
  { error, retryInMs }: { error: string | null; retryInMs: number | null },
): Promise<void> {
  await database.query(SETTLE, [episodeId, channel, kind, attempt, error, retryInMs]);
}

// A time further ahead is from before the database's clock was set back, and counts as passed.
const LONGEST_WAIT = "interval '1 hour'";

const CLAIM = `
  with due as (
    select n.episode_id, n.channel, n.kind from postrider.alert_notifications n
    where (n.due_at <= clock_timestamp() or n.due_at > clock_timestamp() + ${LONGEST_WAIT})
      and n.channel = any ($1::text[])
      and (n.leased_until is null or n.leased_until < clock_timestamp()
        or n.leased_until > clock_timestamp() + $2::float8 * interval '1 millisecond')
      and (n.kind = 'begin' or not exists (
        select from postrider.alert_notifications b
        where b.episode_id = n.episode_id and b.channel = n.channel and b.kind = 'begin' and b.due_at is not null))
    order by n.due_at limit 20
    for update skip locked
  ), claimed as (
    update postrider.alert_notifications n
    set attempt = n.attempt + 1, leased_until = clock_timestamp() + $2::float8 * interval '1 millisecond'
    from due d where n.episode_id = d.episode_id and n.channel = d.channel and n.kind = d.kind
    returning n.episode_id, n.channel, n.kind, n.attempt
  )
  select c.episode_id as "episodeId", c.channel, c.kind, c.attempt, e.alert, e.subject, e.tenant, e.severity,
    e.sentence, postrider.iso_time(e.began_at) as "beganAt", postrider.iso_time(e.ended_at) as "endedAt"
  from claimed c join postrider.alert_episodes e on e.id = c.episode_id`;

// What was claimed again since belongs to that claim.
const SETTLE = `
  update postrider.alert_notifications
  set leased_until = null, last_error = $5, sent_at = case when $5::text is null then clock_timestamp() end,
    due_at = clock_timestamp() + $6::float8 * interval '1 millisecond'
  where episode_id = $1::uuid and channel = $2 and kind = $3 and attempt = $4::int`;
