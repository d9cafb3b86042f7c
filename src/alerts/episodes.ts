import type { Queryable } from '../store/index.js';
import type { Severity } from './alert.js';

/**
 * The episodes as rows. One is open per alert and subject, by a unique index. It opens when its condition has been seen
 * for as long as it must without a gap, and ends when it has not been seen for a while. The messages about it are
 * written in the same transaction, so that none is lost and none is made twice.
 */
export type Channel = 'webhook' | 'slack' | 'email';

export interface Seen {
  alert: string;
  subject: string;
  tenant: string | null;
  severity: Severity;
  sentence: string;
  holdMs: number;
  /** Another says the same: see Finding. */
  implied?: boolean;
}

export interface EpisodeTiming {
  /** Not seen for longer, a condition no longer holds. */
  gapMs: number;
  /** How long it must be gone before its end is told. */
  clearMs: number;
}

export interface Turned {
  id: string;
  alert: string;
  subject: string;
  sentence: string;
  kind: 'begin' | 'end';
}

/** Notes what is wrong now; returns the episodes that opened by it. */
export async function noteSeen(
  tx: Queryable,
  seen: readonly Seen[],
  { gapMs }: EpisodeTiming,
  channels: readonly Channel[],
): Promise<Turned[]> {
  // In one order everywhere, so that two processes never wait for each other.
  const sorted = [...seen].sort((a, b) => (a.alert + a.subject < b.alert + b.subject ? -1 : 1));
  const opened: Turned[] = [];
  for (const one of sorted) {
    if (one.implied) {
      await tx.query(GO_ON_WITH, [one.alert, one.subject.slice(0, 200)]);
      continue;
    }
    const { rows } = await tx.query<{ id: string; opened: boolean }>(NOTE, [
      one.alert,
      one.subject.slice(0, 200),
      one.tenant,
      one.severity,
      one.sentence,
      one.holdMs,
      gapMs,
    ]);
    const row = rows[0];
    if (!row?.opened) continue;
    await tx.query(BEGIN_NOTIFICATIONS, [row.id, channels]);
    opened.push({
      id: row.id,
      alert: one.alert,
      subject: one.subject,
      sentence: one.sentence,
      kind: 'begin',
    });
  }
  return opened;
}

/** The open episodes of these alerts go on: whether their conditions hold is not known. */
export async function goOn(tx: Queryable, alerts: readonly string[]): Promise<void> {
  await tx.query(GO_ON, [alerts]);
}

/** Ends what has not been seen for long enough, forgets what did not last, and removes old history. */
export async function endUnseen(
  tx: Queryable,
  { gapMs, clearMs }: EpisodeTiming,
  keepDays: number,
): Promise<Turned[]> {
  await tx.query(FORGET_BRIEF, [gapMs]);
  await tx.query(CLEAR, [gapMs]);
  const { rows } = await tx.query<Turned>(END, [clearMs]);
  for (const { id } of rows) await tx.query(END_NOTIFICATIONS, [id]);
  await tx.query(FORGET_OLD, [keepDays]);
  return rows;
}

/** An outage of the store, written down when it is over: told already by the channels named. */
export async function noteOutage(
  tx: Queryable,
  outage: Seen & { beganMsAgo: number; told: readonly Channel[] },
  channels: readonly Channel[],
): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(OUTAGE, [
    outage.alert,
    outage.severity,
    outage.sentence,
    outage.beganMsAgo,
  ]);
  const id = rows[0]?.id;
  if (id === undefined) return;
  await tx.query(BEGIN_NOTIFICATIONS, [id, channels]);
  await tx.query(ALREADY_TOLD, [id, outage.told]);
}

export interface Episode {
  id: string;
  alert: string;
  subject: string;
  tenant: string | null;
  severity: Severity;
  sentence: string;
  beganAt: string;
  openedAt: string;
  endedAt: string | null;
}

/** The open episodes and the latest that ended. */
export async function listEpisodes(database: Queryable, limit: number): Promise<Episode[]> {
  const { rows } = await database.query<Episode>(LIST, [limit]);
  return rows;
}

const since = (parameter: string) => `clock_timestamp() - ${parameter}::float8 * interval '1 millisecond'`;

/** Not seen for a gap; a time ahead of now is from before the database's clock was set back. */
const unseen = (gap: string) =>
  `(seen_at < ${since(gap)} or seen_at > clock_timestamp() + ${gap}::float8 * interval '1 millisecond')`;

// A condition that was gone for longer than a gap begins anew. The clock is the database's, one for all processes.
const NOTE = `
  insert into postrider.alert_episodes as e (alert, subject, tenant, severity, sentence, opened_at)
  values ($1, $2, $3, $4, $5, case when $6::float8 <= 0 then clock_timestamp() end)
  on conflict (alert, subject) where ended_at is null do update
  set seen_at = clock_timestamp(), clear_since = null, sentence = excluded.sentence, tenant = excluded.tenant,
    began_at = case when e.began_at > clock_timestamp() or (e.opened_at is null and e.seen_at < ${since('$7')})
      then clock_timestamp() else e.began_at end,
    opened_at = case when e.opened_at is null and e.seen_at >= ${since('$7')} and e.began_at <= ${since('$6')}
      then clock_timestamp() else e.opened_at end
  returning id, opened_at is not null and not exists (
    select from postrider.alert_episodes o where o.id = e.id and o.opened_at is not null) as opened`;

const GO_ON_WITH = `
  update postrider.alert_episodes set seen_at = clock_timestamp(), clear_since = null
  where alert = $1 and subject = $2 and ended_at is null and opened_at is not null`;

const GO_ON = `
  update postrider.alert_episodes set seen_at = clock_timestamp(), clear_since = null
  where alert = any ($1::text[]) and ended_at is null and opened_at is not null`;

const BEGIN_NOTIFICATIONS = `
  insert into postrider.alert_notifications (episode_id, channel, kind)
  select $1::uuid, channel, 'begin' from unnest($2::text[]) channel
  on conflict do nothing`;

const END_NOTIFICATIONS = `
  insert into postrider.alert_notifications (episode_id, channel, kind)
  select n.episode_id, n.channel, 'end' from postrider.alert_notifications n
  where n.episode_id = $1::uuid and n.kind = 'begin'
  on conflict do nothing`;

const FORGET_BRIEF = `
  delete from postrider.alert_episodes
  where ended_at is null and opened_at is null and ${unseen('$1')}`;

const CLEAR = `
  update postrider.alert_episodes set clear_since = clock_timestamp()
  where ended_at is null and opened_at is not null and clear_since is null and ${unseen('$1')}`;

const END = `
  update postrider.alert_episodes set ended_at = clock_timestamp()
  where ended_at is null and (clear_since <= ${since('$1')} or clear_since > clock_timestamp())
  returning id, alert, subject, sentence, 'end' as kind`;

const FORGET_OLD = `
  delete from postrider.alert_episodes where id in (
    select id from postrider.alert_episodes
    where ended_at < clock_timestamp() - $1::int * interval '1 day' order by ended_at limit 100)`;

// Another process may have written the same outage down before, and it may have ended since.
const OUTAGE = `
  insert into postrider.alert_episodes as e (alert, severity, sentence, began_at, opened_at)
  select $1, $2, $3, ${since('$4')}, clock_timestamp()
  where not exists (
    select from postrider.alert_episodes o where o.alert = $1 and o.ended_at > ${since('$4')})
  on conflict (alert, subject) where ended_at is null do update
  set began_at = least(e.began_at, excluded.began_at)
  returning id`;

const ALREADY_TOLD = `
  update postrider.alert_notifications set due_at = null, sent_at = coalesce(sent_at, clock_timestamp())
  where episode_id = $1::uuid and kind = 'begin' and channel = any ($2::text[])`;

const iso = (column: string) => `postrider.iso_time(${column})`;
const COLUMNS = `id, alert, subject, tenant, severity, sentence, ${iso('began_at')} as "beganAt",
  ${iso('opened_at')} as "openedAt", ${iso('ended_at')} as "endedAt"`;

const LIST = `
  select * from (
    (select ${COLUMNS} from postrider.alert_episodes where ended_at is null and opened_at is not null
     order by opened_at desc limit 200)
    union all
    (select ${COLUMNS} from postrider.alert_episodes where ended_at is not null order by ended_at desc limit $1::int)
  ) x order by "endedAt" is not null, coalesce("endedAt", "openedAt") desc`;
