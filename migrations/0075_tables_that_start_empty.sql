-- Kept plans of tables that start empty use their indexes.
-- oldest-code: 1

-- Connections keep the plans of their statements. A plan made after a vacuum of the empty table reads the whole table,
-- and is still used when 100,000 rows have been written since. With some pages from the start, which no vacuum gives
-- back, the planner chooses an index. `email_queue` has had the same since 0003. Each row is wide in a column that is
-- not the first of an index: few rows make the pages, and the inner pages of the index stay small.
do $$
declare
  filled record;
begin
  for filled in
    select * from (values
      ('schedule_marks', '(schedule, recipient, slot) select n::text, repeat(''x'', 1700), now()'),
      ('webhook_deliveries', '(endpoint_id, tenant, type, payload, due_at)
        select postrider.new_id(), '''', repeat(''x'', 1700), ''{}'', null'),
      ('bus_events', '(tenant, type, email_id, payload)
        select '''', repeat(''x'', 1700), postrider.new_id(), ''{}'''),
      ('rate_limit_slots', '(tenant, recipient, type, window_start, slot)
        select n::text, '''', repeat(''x'', 1700), now(), 1')
    ) as t(name, rows)
  loop
    execute format('alter table postrider.%I set (vacuum_truncate = off)', filled.name);
    continue when pg_relation_size(format('postrider.%I', filled.name)) >= 200 * 8192;
    execute format('insert into postrider.%I %s from generate_series(1, 600) n', filled.name, filled.rows);
    execute format('delete from postrider.%I where xmin = pg_current_xact_id()::xid', filled.name);
  end loop;
end $$;
