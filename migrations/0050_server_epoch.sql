-- Which life of which server this is. pg_postmaster_start_time() alone does not tell: it stays when the server restarts
-- itself after a backend died, and a promoted standby started long before. An unlogged table is empty after both.
-- oldest-code: 1

create unlogged table postrider.server_epoch (
  one boolean primary key default true check (one),
  id uuid not null default gen_random_uuid(),
  server_started_at timestamptz not null default pg_postmaster_start_time(),
  -- a dump restored beside its original carries the row of the original
  database_oid oid not null,
  recognized_at timestamptz not null default clock_timestamp()
);

-- A role that may cancel asks whether the epoch is known. It holds no secret.
grant select on postrider.server_epoch to public;

-- the epoch in which this worker took its session lock; null: none, or older code, which is judged by its beat alone
alter table postrider.workers add column epoch uuid;

-- Returns the current epoch. The first call after a crash, promotion or restart counts everything claimed as begun and
-- writes the row in the same transaction: a process that sees the row sees the marks. `marked` is null where
-- the epoch was known. With `marks_hold` no mark can have been lost, as in the embedded store.
create function postrider.recognize_epoch(marks_hold boolean, out epoch uuid, out marked integer)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  here oid := (select d.oid from pg_database d where d.datname = current_database());
begin
  select e.id into epoch from postrider.server_epoch e
  where e.server_started_at = pg_postmaster_start_time() and e.database_oid = here;
  if found then
    return;
  end if;
  perform pg_advisory_xact_lock(7707, 18);
  select e.id into epoch from postrider.server_epoch e
  where e.server_started_at = pg_postmaster_start_time() and e.database_oid = here;
  if found then
    return;
  end if;
  marked := 0;
  if not marks_hold then
    with claimed as materialized (
      select q.id from postrider.email_queue q where q.owner is not null and not q.begun order by q.id for update
    )
    update postrider.email_queue q set begun = true from claimed c where q.id = c.id;
    get diagnostics marked = row_count;
  end if;
  delete from postrider.server_epoch;
  insert into postrider.server_epoch (database_oid) values (here) returning id into epoch;
end $$;
