import type pg from 'pg';

/**
 * Emails that have ended, spread over a week, as a busy installation's log holds them: one large tenant and many small
 * ones, twenty types, one in fifty failed, a handful by a provider that stood in. Written by SQL, in the order of time.
 */
export async function fillLog(
  client: pg.Client,
  { count, onProgress, indexLast = false }: FillOptions,
): Promise<void> {
  const indexes = indexLast ? await takeIndexes(client) : [];
  for (let done = 0; done < count; done += CHUNK) {
    await client.query(FILL, [done, Math.min(CHUNK, count - done), count, LOG.rareEvery]);
    onProgress?.(Math.min(done + CHUNK, count));
  }
  for (const definition of indexes) await client.query(definition);
  await client.query('checkpoint');
}

export interface FillOptions {
  count: number;
  onProgress?: (done: number) => void;
  /** Builds the indexes when the rows are there: in half the time, and denser than they grow. */
  indexLast?: boolean;
}

/** What is in it, for questions. */
export const LOG = {
  largeTenant: 'tenant-0000',
  smallTenant: 'tenant-0042',
  type: 'type-7',
  recipient: 'person-4711@example.com',
  rareProvider: 'resend',
  rareEvery: 20_000,
};

const CHUNK = 100_000;

/** Drops all but the primary keys; returns how they were made. */
async function takeIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select c.oid::regclass::text as name, pg_get_indexdef(c.oid) as definition
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid in ('postrider.emails'::regclass, 'postrider.email_attempts'::regclass) and not i.indisprimary
     order by 1`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '));
}

const FILL = `
  with made as materialized (
    select n, t, (left(replace(postrider.id_floor(t)::text, '-', ''), 12) || '7' || left(md5(n::text), 3) || '8'
        || substr(md5(n::text), 4, 15))::uuid as id,
      case when n % 2 = 0 then 'tenant-0000' else 'tenant-' || lpad((n / 2 % 1000)::text, 4, '0') end as tenant,
      n % 51 = 7 as failed,
      case when n % $4::int = 1234 then 'resend' else 'smtp' end as provider
    from (
      select n, now() - interval '7 days' + n::float8 / $3::int * interval '7 days' - interval '1 minute' as t
      from generate_series($1::int, $1::int + $2::int - 1) n
    ) s
  ), mails as (
    insert into postrider.emails (id, tenant, type, lang, user_id, to_address, subject, message, metadata, priority,
      retry, max_attempts, route, request_id, content_hash, created_at)
    select id, tenant, 'type-' || (n / 3 % 20), 'en', 'user-' || (n % 100000), 'person-' || (n % 100000) || '@example.com',
      'What happened on day ' || n, '{"to":[{"address":"someone@example.com"}]}', '{}', 3, 'gateway', 5, 'default', id::text,
      decode(md5(id::text), 'hex'), t
    from made order by n
  )
  insert into postrider.email_attempts (email_id, attempt, token, status, final, events, offsets_ms, started_at, duration_ms,
    route, provider, worker, provider_message_id, error_code, error_message, settled_at)
  select id, attempt, attempt, (case when not final then 'retry' when failed then 'failed' else 'sent' end)::postrider.email_status,
    final, array['RECEIVED', 'VALIDATED', 'SENT_ATTEMPT', 'SENT']::postrider.event_type[], array[0, 1, 2, 20],
    t + attempt * interval '1 second', 20, 'default', provider, 1,
    case when final and not failed then '<' || id || '@example.com>' end,
    case when failed then 'SMTP_550' end, case when failed then '550 5.1.1 no such mailbox' end,
    t + attempt * interval '1.02 seconds'
  from made
  cross join lateral (
    select a as attempt, a = (case when n % 33 = 5 then 2 else 1 end) as final
    from generate_series(1, case when n % 33 = 5 then 2 else 1 end) a
  ) tries
  order by n, attempt`;
