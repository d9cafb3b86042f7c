import type { AudienceMoment } from './audience.js';

/**
 * Criteria as data, turned into SQL here and nowhere else: every value is a parameter, every word of the text is ours.
 * Some criteria say who is meant at all; others say who of them is passed over this time, with the reason.
 */
export interface AudienceCriteria {
  /** Defaults to everyone's. */
  companyId?: string | readonly string[];
  status?: string | readonly string[];
  accountType?: string | readonly string[];
  language?: string | readonly string[];
  /** Only who has all of these. */
  attributes?: Readonly<Record<string, string | number | boolean>>;
  /** The preference that must be on; without it people are passed over as `opted_out`. */
  optedIn?: string;
  /** Who has checked in on the day of the slot is passed over as `checked_in`. */
  noCheckInToday?: boolean;
  /** Shorter ones, and those that ended, are passed over as `no_streak`. */
  streakAtLeast?: number;
  /** Who was active within that many days is passed over as `active`; where nothing is known, since they are known. */
  idleDays?: number;
  /** Who wants reminders less often, or had one that day, is passed over as `reminded` or `reminders_off`. */
  reminderDue?: boolean;
}

export const AUDIENCE_CRITERIA: readonly (keyof AudienceCriteria)[] = [
  'companyId',
  'status',
  'accountType',
  'language',
  'attributes',
  'optedIn',
  'noCheckInToday',
  'streakAtLeast',
  'idleDays',
  'reminderDue',
];

type Question = { kind: 'page'; cursor: string | null; limit: number } | { kind: 'count' };

export function audienceSql(
  criteria: AudienceCriteria,
  moment: AudienceMoment,
  question: Question,
): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const value = (one: unknown, type: string) => `$${values.push(one)}::${type}`;
  const conditions = ['r.deleted_at is null', ...livingThere(moment, value), ...meant(criteria, value)];
  if (question.kind === 'count') {
    return { text: `select count(*) as count from postrider.recipients r where ${all(conditions)}`, values };
  }
  if (question.cursor !== null) conditions.push(`r.id > ${value(question.cursor, 'uuid')}`);
  const yesterday = value(moment.dayBeforeStart.toISOString(), 'timestamptz');
  const reasons = passedOver(criteria, moment, value);
  const text = `
    select r.id, r.tenant, r.external_id, r.email, r.name, r.language, r.time_zone, r.account_type,
      r.attributes::text as attributes, r.last_check_in_at, r.last_active_at, r.created_at,
      case when r.last_check_in_at >= ${yesterday} then r.streak_days else 0 end as streak_days,
      ${reasons.length > 0 ? `case ${reasons.join('\n')} end` : 'null::text'} as reason
    from postrider.recipients r where ${all(conditions)}
    order by r.id limit ${value(question.limit, 'int')}`;
  return { text, values };
}

type Value = (one: unknown, type: string) => string;

function all(conditions: readonly string[]): string {
  return conditions.join(' and ');
}

function livingThere({ zone }: AudienceMoment, value: Value): string[] {
  if (zone === 'all') return [];
  if ('only' in zone) return [`r.time_zone = ${value(zone.only, 'text')}`];
  const known = value(zone.allBut, 'text[]');
  return [anyElsewhere(known), `(r.time_zone is null or r.time_zone <> all(${known}))`];
}

/** Asked once, by an index entry per zone: where nobody lives elsewhere, people are not read to find that out. */
function anyElsewhere(known: string): string {
  return `(select exists (select 1 from postrider.recipients n where n.deleted_at is null and n.time_zone is null)
    or exists (
      with recursive zones(zone) as (
        (select n.time_zone from postrider.recipients n where n.deleted_at is null and n.time_zone is not null
         order by n.time_zone limit 1)
        union all
        select (select n.time_zone from postrider.recipients n
                where n.deleted_at is null and n.time_zone > zones.zone order by n.time_zone limit 1)
        from zones where zones.zone is not null
      )
      select 1 from zones where zone <> all(${known})
    ))`;
}

function meant(criteria: AudienceCriteria, value: Value): string[] {
  const conditions: string[] = [];
  const columns = {
    tenant: criteria.companyId,
    status: criteria.status,
    account_type: criteria.accountType,
    language: criteria.language,
  };
  for (const [column, wanted] of Object.entries(columns)) {
    if (wanted !== undefined) conditions.push(`r.${column} = any(${value([wanted].flat(), 'text[]')})`);
  }
  if (criteria.attributes !== undefined)
    conditions.push(`r.attributes @> ${value(JSON.stringify(criteria.attributes), 'text')}::jsonb`);
  return conditions;
}

/** The first reason that holds is the one that is told. */
function passedOver(criteria: AudienceCriteria, moment: AudienceMoment, value: Value): string[] {
  const at = (instant: Date) => value(instant.toISOString(), 'timestamptz');
  const reasons: string[] = [];
  const { optedIn, noCheckInToday, streakAtLeast, idleDays, reminderDue } = criteria;
  if (optedIn !== undefined)
    reasons.push(
      `when (r.preferences -> ${value(optedIn, 'text')}) is distinct from 'true'::jsonb then 'opted_out'`,
    );
  if (noCheckInToday) reasons.push(`when r.last_check_in_at >= ${at(moment.dayStart)} then 'checked_in'`);
  if (streakAtLeast !== undefined)
    reasons.push(
      `when r.streak_days < ${value(streakAtLeast, 'int')} or r.last_check_in_at is null
        or r.last_check_in_at < ${at(moment.dayBeforeStart)} then 'no_streak'`,
    );
  if (idleDays !== undefined) {
    const since = new Date(moment.slot.getTime() - idleDays * 86_400_000);
    reasons.push(
      `when coalesce(greatest(r.last_active_at, r.last_check_in_at), r.created_at) > ${at(since)} then 'active'`,
    );
  }
  if (reminderDue) {
    const weekend = moment.weekday > 5;
    reasons.push(
      `when r.reminder_frequency = 'never' then 'reminders_off'`,
      ...(weekend ? [`when r.reminder_frequency = 'weekdays' then 'reminders_off'`] : []),
      `when r.last_reminder_sent_at >= case when r.reminder_frequency = 'weekly'
        then ${at(moment.weekStart)} else ${at(moment.dayStart)} end then 'reminded'`,
    );
  }
  return reasons;
}
