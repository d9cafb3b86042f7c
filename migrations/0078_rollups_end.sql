-- Rollups by five minutes end after a month; those by hour and day stay as long as the log.
-- oldest-code: 1

-- From then on there are rollups by five minutes. The dashboard asks for up to 30 days of them.
create function postrider.fine_tallies_from() returns timestamptz
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select date_trunc('day', now() - interval '32 days', 'UTC')
$$;
