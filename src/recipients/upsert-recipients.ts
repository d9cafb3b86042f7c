import { invalidPayload } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';
import type { ParsedRecipient } from './parse-recipient.js';

/**
 * Makes or changes many people of one tenant, two statements for ten thousand: those with an external id are found by
 * it, or take over the row that has only their email; the others are found by their email. The same person twice in
 * one call counts as one, later fields over earlier ones. In a transaction it is all or none.
 */
export async function upsertRecipients(
  tx: Queryable,
  tenant: string,
  people: readonly ParsedRecipient[],
): Promise<UpsertedRecipient[]> {
  await refuseUnknownZones(tx, people);
  const byKey = new Map<string, ParsedRecipient>();
  for (const person of people) byKey.set(keyOf(person), merged(byKey.get(keyOf(person)), person));
  const named = [...byKey.values()].filter((person) => person.externalId !== undefined);
  const unnamed = [...byKey.values()].filter((person) => person.externalId === undefined);
  const answers = new Map<string, UpsertedRecipient>();
  for (const [statement, group] of [
    [BY_EXTERNAL_ID, named],
    [BY_EMAIL, unnamed],
  ] as const) {
    if (group.length === 0) continue;
    const { rows } = await tx.query<{ key: string; id: string; created: boolean }>(statement, [
      tenant,
      group.map((person) => JSON.stringify(person)),
    ]);
    for (const { key, id, created } of rows) {
      const prefix = statement === BY_EMAIL ? 'email' : 'id';
      answers.set(`${prefix} ${key}`, { recipientId: id, created });
    }
  }
  return people.map((person) => answers.get(keyOf(person))!);
}

export interface UpsertedRecipient {
  recipientId: string;
  created: boolean;
}

function keyOf({ externalId, email }: ParsedRecipient): string {
  return externalId === undefined ? `email ${email.toLowerCase()}` : `id ${externalId}`;
}

function merged(earlier: ParsedRecipient | undefined, later: ParsedRecipient): ParsedRecipient {
  if (earlier === undefined) return later;
  const both = (name: 'preferences' | 'attributes') =>
    earlier[name] === undefined && later[name] === undefined
      ? {}
      : { [name]: { ...(earlier[name] as object), ...(later[name] as object) } };
  return { ...earlier, ...later, ...both('preferences'), ...both('attributes') };
}

const knownZones = new Set<string>();
const MOST_ZONES = 2000;

/** The server's list of zones is its own: one it does not know would fail every later statement. */
async function refuseUnknownZones(tx: Queryable, people: readonly ParsedRecipient[]): Promise<void> {
  const asked = [...new Set(people.map(({ timeZone }) => timeZone))].filter(
    (zone): zone is string => typeof zone === 'string' && !knownZones.has(zone),
  );
  if (asked.length === 0) return;
  const { rows } = await tx.query<{ zone: string }>(
    'select zone from unnest($1::text[]) zone where not postrider.is_time_zone(zone)',
    [asked],
  );
  const unknown = rows[0]?.zone;
  if (unknown !== undefined) {
    const index = people.findIndex(({ timeZone }) => timeZone === unknown);
    throw invalidPayload(
      people.length > 1 ? `[${index}].timeZone` : 'timeZone',
      'is unknown to the database',
    );
  }
  // One zone has as many spellings as its letters have cases.
  if (knownZones.size + asked.length > MOST_ZONES) knownZones.clear();
  for (const zone of asked) knownZones.add(zone);
}

/** A key that was given replaces the column, also with null; one that was not leaves it. */
const given = (key: string, column: string, read = `i.person ->> '${key}'`) =>
  `${column} = case when i.person ? '${key}' then ${read} else r.${column} end`;

const CHANGES = [
  "email = i.person ->> 'email'",
  given('name', 'name'),
  given('language', 'language'),
  given('timeZone', 'time_zone'),
  given('status', 'status'),
  given('accountType', 'account_type'),
  "preferences = postrider.merge_keys(r.preferences, i.person -> 'preferences')",
  "attributes = postrider.merge_keys(r.attributes, i.person -> 'attributes')",
  given('reminderFrequency', 'reminder_frequency'),
  given('lastActiveAt', 'last_active_at', "(i.person ->> 'lastActiveAt')::timestamptz"),
  given('lastReminderSentAt', 'last_reminder_sent_at', "(i.person ->> 'lastReminderSentAt')::timestamptz"),
  'updated_at = now()',
].join(', ');

const COLUMNS = `tenant, external_id, email, name, language, time_zone, status, account_type, preferences, attributes,
  reminder_frequency, last_active_at, last_reminder_sent_at`;

const VALUES = `$1, i.person ->> 'externalId', i.person ->> 'email', i.person ->> 'name', i.person ->> 'language',
  i.person ->> 'timeZone', coalesce(i.person ->> 'status', 'active'), i.person ->> 'accountType',
  postrider.merge_keys('{}', i.person -> 'preferences'), postrider.merge_keys('{}', i.person -> 'attributes'),
  i.person ->> 'reminderFrequency', (i.person ->> 'lastActiveAt')::timestamptz,
  (i.person ->> 'lastReminderSentAt')::timestamptz`;

/** Somebody else made the same person in the same moment: what is given here is laid over it. */
const OVERLAY = `email = excluded.email, name = coalesce(excluded.name, r.name),
  language = coalesce(excluded.language, r.language), time_zone = coalesce(excluded.time_zone, r.time_zone),
  account_type = coalesce(excluded.account_type, r.account_type),
  preferences = r.preferences || excluded.preferences, attributes = r.attributes || excluded.attributes,
  reminder_frequency = coalesce(excluded.reminder_frequency, r.reminder_frequency),
  last_active_at = coalesce(excluded.last_active_at, r.last_active_at), updated_at = now()`;

/**
 * Locked and made in the order of their keys, so that two imports of the same people wait for each other and not in a
 * circle; one that names a person by either key in different calls may still meet one, and is tried again.
 */
const LOCKED = `locked as materialized (
      select r.id from found f join postrider.recipients r on r.id = f.id order by f.key for update of r
    )`;

const BY_EXTERNAL_ID = {
  name: 'recipients_upsert_by_external_id',
  text: `
    with input as materialized (
      select person::jsonb as person, person::jsonb ->> 'externalId' as key, lower(person::jsonb ->> 'email') as address
      from unnest($2::text[]) person
    ), found as (
      select i.key, i.person, coalesce(own.id, case when adopted.n = 1 then adopted.id end) as id
      from input i
      left join lateral (
        select r.id from postrider.recipients r
        where r.tenant = $1 and r.external_id = i.key and r.deleted_at is null
      ) own on true
      left join (
        select i.key, r.id, row_number() over (partition by r.id order by i.key) as n
        from input i
        join postrider.recipients r on r.tenant = $1 and lower(r.email) = i.address
          and r.external_id is null and r.deleted_at is null
        where not exists (
          select 1 from postrider.recipients o where o.tenant = $1 and o.external_id = i.key and o.deleted_at is null
        )
      ) adopted on adopted.key = i.key
    ), ${LOCKED}, changed as (
      update postrider.recipients r set external_id = i.key, ${CHANGES}
      from found i join locked on locked.id = i.id where r.id = i.id
      returning r.external_id as key, r.id, false as created
    ), made as (
      insert into postrider.recipients as r (${COLUMNS})
      select ${VALUES} from found i where i.id is null order by i.key
      on conflict (tenant, external_id) where external_id is not null and deleted_at is null
      do update set ${OVERLAY}
      returning r.external_id as key, r.id, true as created
    )
    select * from changed union all select * from made`,
};

const BY_EMAIL = {
  name: 'recipients_upsert_by_email',
  text: `
    with input as materialized (
      select person::jsonb as person, lower(person::jsonb ->> 'email') as key from unnest($2::text[]) person
    ), found as (
      select i.key, i.person, own.id
      from input i
      left join lateral (
        select r.id from postrider.recipients r
        where r.tenant = $1 and lower(r.email) = i.key and r.deleted_at is null
        order by r.external_id is not null, r.id limit 1
      ) own on true
    ), ${LOCKED}, changed as (
      update postrider.recipients r set ${CHANGES}
      from found i join locked on locked.id = i.id where r.id = i.id
      returning i.key, r.id, false as created
    ), made as (
      insert into postrider.recipients as r (${COLUMNS})
      select ${VALUES} from found i where i.id is null order by i.key
      on conflict (tenant, lower(email)) where external_id is null and deleted_at is null
      do update set ${OVERLAY}
      returning lower(r.email) as key, r.id, true as created
    )
    select * from changed union all select * from made`,
};
