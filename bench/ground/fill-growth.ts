import type pg from 'pg';
import type { EmailInput } from '../../src/index.js';

/**
 * A ledger of eight weeks in the shape the code writes: rows in their weekly partitions in order of time, bodies, ends,
 * events, people, marks of a campaign, tenants with quotas. Nothing is vacuumed or analysed by hand. `compareShape`
 * holds it against the rows of a real run.
 */
export interface GrowthSize {
  emails: number;
  people: number;
  tenants: number;
}

export const GROWTH = {
  tenant: 'tenant-0',
  heavyUser: 'user-heavy',
  heavyRecipient: 'heavy@example.com',
  /** How many emails one heavy recipient got, at every size. */
  heavyEmails: 1000,
  schedule: 'weekly',
};

export function growthSize(emails: number): GrowthSize {
  return {
    emails,
    people: Math.max(1000, Math.floor(emails / 4)),
    tenants: Math.max(10, Math.floor(emails / 1000)),
  };
}

export async function fillGrowth(
  client: pg.ClientBase,
  size: GrowthSize,
  onProgress: (done: number) => void = () => {},
): Promise<void> {
  await makePastWeeks(client);
  await client.query(PEOPLE, [size.people, size.tenants, GROWTH.tenant]);
  await client.query(TENANTS, [size.tenants]);
  for (let from = 0; from < size.emails; from += CHUNK) {
    const count = Math.min(CHUNK, size.emails - from);
    const every = Math.max(1, Math.floor(size.emails / GROWTH.heavyEmails));
    await client.query(EMAILS, [from, count, size.emails, size.tenants, size.people, every]);
    onProgress(from + count);
  }
}

const CHUNK = 50_000;

/** With the function that makes the weeks ahead, begun so many weeks ago. */
export async function makePastWeeks(client: pg.ClientBase, weeks = 9): Promise<void> {
  const { rows } = await client.query<{ made: string }>(
    "select pg_get_functiondef('postrider.ensure_partitions(integer)'::regprocedure) as made",
  );
  const past = rows[0]!.made
    .replace('postrider.ensure_partitions', 'postrider.ensure_past_partitions')
    .replace("- interval '1 week'", `- interval '${weeks} weeks'`);
  await client.query(past);
  await client.query('select postrider.ensure_past_partitions(0)');
  await client.query('drop function postrider.ensure_past_partitions(integer)');
}

/** For a real run that is compared with the fill. */
export const GROWTH_EMAILS: EmailInput[] = Array.from({ length: 200 }, (_, n) => ({
  to: `person-${n}@example.com`,
  companyId: GROWTH.tenant,
  type: 'welcome',
  lang: 'en',
  userId: `user-${n}`,
  subject: `What happened on day ${n}`,
  html: `<p>${'It was a day like any other here. '.repeat(24)}</p>`,
  text: 'It was a day like any other here. '.repeat(12),
}));

/** The columns that a run of the code itself filled and the fill did not, by table, and rows of another width. */
export async function compareShape(real: pg.ClientBase, filled: pg.ClientBase): Promise<string[]> {
  const differences: string[] = [];
  for (const table of ['emails', 'email_bodies', 'email_attempts']) {
    const [there, here] = [await shapeOf(real, table), await shapeOf(filled, table)];
    for (const [column, width] of Object.entries(there.columns)) {
      if (width !== null && (here.columns[column] ?? null) === null)
        differences.push(`${table}.${column} is null`);
    }
    const ratio = here.rowBytes / there.rowBytes;
    if (!(ratio > 0.5 && ratio < 2))
      differences.push(`${table}: ${there.rowBytes} and ${here.rowBytes} bytes a row`);
  }
  return differences;
}

async function shapeOf(client: pg.ClientBase, table: string) {
  const { rows: names } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = 'postrider.${table}'::regclass and attnum > 0 and not attisdropped order by attnum`,
  );
  const columns = names.map(({ name }) => `max(pg_column_size("${name}")) as "${name}"`).join(', ');
  const sample = `(select * from postrider.${table} limit 200) s`;
  const { rows } = await client.query(`select ${columns} from ${sample}`);
  const { rows: bytes } = await client.query<{ bytes: number }>(
    `select avg(pg_column_size(s.*))::float8 as bytes from ${sample}`,
  );
  return { columns: rows[0] as Record<string, number | null>, rowBytes: bytes[0]!.bytes };
}

const PEOPLE = `
  with people as (
    insert into postrider.recipients (id, tenant, external_id, email, name, status, time_zone, account_type)
    select postrider.new_id(), case when n % 2 = 0 then $3 else 'tenant-' || n % $2::int end, 'user-' || n,
      'person-' || n || '@example.com', 'Person ' || n, 'active',
      case when n % 2 = 0 then 'Europe/Rome' else 'Asia/Seoul' end, 'trial'
    from generate_series(1, $1::int) n returning id, tenant
  ), segment as (
    insert into postrider.segments (tenant, name) values ($3, 'Twenty') returning id
  )
  insert into postrider.segment_members (segment_id, recipient_id)
  select s.id, p.id from segment s, (select id from people where tenant = $3 order by id desc limit 20) p`;

const TENANTS = `
  with made as (
    insert into postrider.tenants (id, name) select 'tenant-' || n, 'Tenant ' || n from generate_series(0, $1::int - 1) n
    returning id
  ), quotas as (
    insert into postrider.quotas (tenant, period, max_emails)
    select id, period, 100000 from made, unnest(array['day', 'month']) period returning tenant, period
  )
  insert into postrider.quota_shares (tenant, period, share, period_start, used)
  select tenant, period, n, date_trunc(period, now() at time zone 'UTC') at time zone 'UTC', 100
  from quotas, generate_series(0, 2) n`;

// Of fifty-one emails one failed, of thirty-three one went out at its second attempt, of three one was reported delivered.
const EMAILS = `
  with made as materialized (
    select n, t, (left(replace(postrider.id_floor(t)::text, '-', ''), 12) || '7' || left(md5(n::text), 3) || '8'
        || substr(md5(n::text), 4, 15))::uuid as id,
      case when n % 2 = 0 then 'tenant-0' else 'tenant-' || n / 2 % $4::int end as tenant,
      n % 51 = 7 as failed, n % $6::int = 0 as heavy
    from (
      select n, now() - interval '56 days' + n::float8 / $3::int * interval '56 days' - interval '1 minute' as t
      from generate_series($1::int, $1::int + $2::int - 1) n
    ) s
  ), mails as (
    insert into postrider.emails (id, tenant, type, lang, user_id, recipient_external_id, to_address, subject, message,
      metadata, priority, retry, max_attempts, route, request_id, content_hash, created_at)
    select id, tenant, 'type-' || n / 3 % 20, 'en', case when heavy or n % 10 = 3 then 'user-heavy' else 'user-' || n % $5::int end,
      'user-' || n % $5::int, case when heavy then 'heavy@example.com' else 'person-' || n % $5::int || '@example.com' end,
      'What happened on day ' || n,
      jsonb_build_object('to', jsonb_build_array(jsonb_build_object('address', 'person-' || n || '@example.com')),
        'from', jsonb_build_object('address', 'noreply@example.com')),
      '{}', 3, 'gateway', 5, 'default', id::text, decode(md5(id::text) || md5(n::text), 'hex'), t
    from made order by n
  ), bodies as (
    insert into postrider.email_bodies (email_id, html, text)
    select id, '<p>' || repeat(md5(n::text) || ' ', 24) || '</p>', repeat(md5(n::text) || ' ', 12) from made order by n
  ), facts as (
    insert into postrider.email_facts (email_id, type, detail, created_at)
    select id, 'DELIVERED', '{}', t + interval '5 seconds' from made where n % 3 = 0 and not failed order by n
  )
  insert into postrider.email_attempts (email_id, attempt, token, status, final, events, offsets_ms, started_at, duration_ms,
    route, provider, worker, provider_message_id, error_code, error_category, error_message, detail, settled_at)
  select id, attempt, attempt,
    (case when not final then 'retry' when failed then 'failed' else 'sent' end)::postrider.email_status, final,
    array['RECEIVED', 'VALIDATED', 'SENT_ATTEMPT', 'SENT']::postrider.event_type[], array[0, 1, 2, 20],
    t + attempt * interval '1 second', 20, 'default', 'smtp', 1,
    case when final and not failed then '<' || id || '@example.com>' end,
    case when failed then 'SMTP_550' end, case when failed then 'PERMANENT_ERROR' end,
    case when failed then '550 5.1.1 no such mailbox' end,
    jsonb_build_object('reply', '250 2.0.0 Ok: queued as ' || left(md5(n::text), 10)), t + attempt * interval '1.02 seconds'
  from made
  cross join lateral (
    select a as attempt, a = (case when n % 33 = 5 then 2 else 1 end) as final
    from generate_series(1, case when n % 33 = 5 then 2 else 1 end) a
  ) tries
  order by n, attempt`;
