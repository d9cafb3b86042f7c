-- Bodies of ordinary length are kept in their rows: a row aside, with an index of its own, costs more to write than
-- the room it saves. Two rows still fit a page; what is longer goes aside as before.
-- oldest-code: 1

do $$
declare
  part regclass;
begin
  for part in select inhrelid from pg_catalog.pg_inherits where inhparent = 'postrider.email_bodies'::regclass loop
    execute format('alter table %s set (toast_tuple_target = 4080)', part);
  end loop;
end $$;

-- As before, and new weeks the same way.
create or replace function postrider.ensure_partitions(weeks_ahead integer default 4) returns integer
language plpgsql
set search_path = pg_catalog
as $$
declare
  parent text;
  week timestamptz;
  child text;
  key text;
  low uuid;
  high uuid;
  made integer := 0;
begin
  for week in
    select generate_series(date_trunc('week', now() at time zone 'UTC') - interval '1 week',
                           date_trunc('week', now() at time zone 'UTC') + weeks_ahead * interval '1 week',
                           interval '1 week') at time zone 'UTC'
  loop
    foreach parent in array array['emails', 'email_bodies', 'email_attempts', 'email_facts'] loop
      child := parent || '_' || to_char(week at time zone 'UTC', 'YYYYMMDD');
      if to_regclass('postrider.' || child) is null then
        execute format('create table postrider.%I (like postrider.%I including all)', child, parent);
        if parent = 'email_bodies' then
          execute format('alter table postrider.%I set (toast_tuple_target = 4080)', child);
        end if;
        low := postrider.id_floor(week);
        high := postrider.id_floor(week + interval '1 week');
        key := case parent when 'emails' then 'id' else 'email_id' end;
        -- What was accepted before its week was made waits in the default partition; attaching refuses while it does.
        execute format('lock table postrider.%I in access exclusive mode', parent || '_default');
        execute format('with moved as (delete from postrider.%I where %I >= %L and %I < %L returning *)
          insert into postrider.%I select * from moved', parent || '_default', key, low, key, high, child);
        execute format('alter table postrider.%I attach partition postrider.%I for values from (%L) to (%L)',
          parent, child, low, high);
        made := made + 1;
      end if;
    end loop;
  end loop;
  return made;
end $$;
