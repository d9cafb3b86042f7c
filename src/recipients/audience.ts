import type { Queryable } from '../store/index.js';
import { type AudienceCriteria, audienceSql } from './audience-sql.js';
import { type RecentActivity, readRecentActivity } from './report-activity.js';

/**
 * The people a campaign is for, in pages by id: everyone criteria mean, each with the reason they are passed over this
 * time, if there is one. Whoever joins behind the cursor is not seen again; whoever leaves ahead of it is not seen.
 */
export interface AudienceMember {
  recipientId: string;
  companyId: string;
  externalId: string | null;
  email: string;
  name: string | null;
  language: string | null;
  timeZone: string | null;
  accountType: string | null;
  attributes: Record<string, unknown>;
  /** Days in a row up to the day of the slot or the one before; 0 once a day was missed. */
  streakDays: number;
  lastCheckInAt: Date | null;
  lastActiveAt: Date | null;
  createdAt: Date;
  /** What they did in the days before the slot, by kind; empty unless the campaign asks for it. */
  recentActivity: readonly RecentActivity[];
}

/** What a slot means where the run takes place. */
export interface AudienceMoment {
  slot: Date;
  /** From 1 (Monday) to 7. */
  weekday: number;
  /** The start of that day, of the one before and of the one six before it. */
  dayStart: Date;
  dayBeforeStart: Date;
  weekStart: Date;
  zone: AudienceZone;
}

/** Those who live in a zone; the zone of those who live in none known has all others. Or all, wherever they live. */
export type AudienceZone = { only: string } | { allBut: readonly string[] } | 'all';

export async function readAudiencePage(
  database: Queryable,
  criteria: AudienceCriteria,
  { moment, cursor, limit, activitySince }: AudiencePageRequest,
): Promise<Array<{ person: AudienceMember; reason: string | null }>> {
  const { text, values } = audienceSql(criteria, moment, { kind: 'page', cursor, limit });
  const { rows } = await database.query<AudienceRow>(text, values);
  const going = rows.filter((row) => row.reason === null).map((row) => row.id);
  const activity = activitySince === null ? null : await readRecentActivity(database, going, activitySince);
  return rows.map(({ reason, ...row }) => ({
    reason,
    person: {
      recipientId: row.id,
      companyId: row.tenant,
      externalId: row.external_id,
      email: row.email,
      name: row.name,
      language: row.language,
      timeZone: row.time_zone,
      accountType: row.account_type,
      attributes: JSON.parse(row.attributes) as Record<string, unknown>,
      streakDays: row.streak_days,
      lastCheckInAt: row.last_check_in_at,
      lastActiveAt: row.last_active_at,
      createdAt: row.created_at,
      recentActivity: activity?.get(row.id) ?? [],
    },
  }));
}

export interface AudiencePageRequest {
  moment: AudienceMoment;
  cursor: string | null;
  limit: number;
  /** The first day (YYYY-MM-DD) of what people did that comes along; null: none. */
  activitySince: string | null;
}

/** How many pages will be about. */
export async function countAudience(
  database: Queryable,
  criteria: AudienceCriteria,
  moment: AudienceMoment,
): Promise<number> {
  const { text, values } = audienceSql(criteria, moment, { kind: 'count' });
  const { rows } = await database.query<{ count: string }>(text, values);
  return Number(rows[0]?.count ?? 0);
}

/** Every zone that occurs; null stands for people of whom none is known. Reads one entry per zone, not per person. */
export async function listTimeZones(database: Queryable): Promise<Array<string | null>> {
  const { rows } = await database.query<{ zone: string | null }>(ZONES);
  return rows.map((row) => row.zone);
}

/** Keeps when these people were last reminded: the slot, never earlier than what is known. */
export async function markReminded(
  database: Queryable,
  recipientIds: readonly string[],
  slot: Date,
): Promise<void> {
  await database.query(REMINDED, [recipientIds, slot.toISOString()]);
}

interface AudienceRow {
  id: string;
  tenant: string;
  external_id: string | null;
  email: string;
  name: string | null;
  language: string | null;
  time_zone: string | null;
  account_type: string | null;
  attributes: string;
  streak_days: number;
  last_check_in_at: Date | null;
  last_active_at: Date | null;
  created_at: Date;
  reason: string | null;
}

const ZONES = {
  name: 'recipients_zones',
  text: `
    with recursive zones(zone) as (
      (select time_zone from postrider.recipients where deleted_at is null and time_zone is not null
       order by time_zone limit 1)
      union all
      select (select r.time_zone from postrider.recipients r
              where r.deleted_at is null and r.time_zone > zones.zone order by r.time_zone limit 1)
      from zones where zones.zone is not null
    )
    select zone from zones where zone is not null
    union all
    select null where exists (select 1 from postrider.recipients where deleted_at is null and time_zone is null)`,
};

const REMINDED = {
  name: 'recipients_reminded',
  text: `update postrider.recipients set last_reminder_sent_at = $2
         where id = any($1::uuid[]) and (last_reminder_sent_at is null or last_reminder_sent_at < $2)`,
};
