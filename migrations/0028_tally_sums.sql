-- Statistics over weeks add up days, and a rare provider's emails are found without reading all of them.
-- oldest-code: 1

-- The tallies by day, of each tenant and of all of them together, and of all also by hour.
create table postrider.email_tally_sums (
  -- '' for all of them
  tenant text collate "C" not null,
  hours smallint not null check (hours in (1, 24)),
  bucket timestamptz not null,
  type text collate "C" not null,
  provider text collate "C" not null,
  status postrider.email_status not null,
  count bigint not null,
  primary key (tenant, hours, bucket, type, provider, status)
);

-- One tenant's part of a day is added up from its tallies themselves.
create index email_tallies_tenant on postrider.email_tallies (tenant, bucket);

-- The sums that these tallies are part of. What was counted before is counted off.
create function postrider.add_to_tally_sums(tallies postrider.email_tallies[]) returns void
language sql
set search_path = pg_catalog
as $$
  insert into postrider.email_tally_sums as s (tenant, hours, bucket, type, provider, status, count)
  select case when h.everyone then '' else c.tenant end, h.hours, date_trunc(h.unit, c.bucket, 'UTC'), c.type, c.provider,
    c.status, sum(c.count)
  from unnest(tallies) c
  cross join (values (1, 'hour', true), (24, 'day', true), (24, 'day', false)) h(hours, unit, everyone)
  group by 1, 2, 3, 4, 5, 6
  on conflict (tenant, hours, bucket, type, provider, status) do update set count = s.count + excluded.count
$$;

-- In the statement that changes the tallies, so that the sums also hold beside processes that know nothing of them.
create function postrider.sum_tallies() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
  perform postrider.add_to_tally_sums(array(select c::postrider.email_tallies from counted c));
  return null;
end $$;

create function postrider.sum_tallies_again() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
  perform postrider.add_to_tally_sums(array(
    select c::postrider.email_tallies from counted c
    union all
    select row(b.bucket, b.tenant, b.type, b.provider, b.status, -b.count)::postrider.email_tallies from before b
  ));
  return null;
end $$;

create trigger email_tallies_counted after insert on postrider.email_tallies
  referencing new table as counted for each statement execute function postrider.sum_tallies();
create trigger email_tallies_recounted after update on postrider.email_tallies
  referencing new table as counted old table as before
  for each statement execute function postrider.sum_tallies_again();

select postrider.add_to_tally_sums(array(select t from postrider.email_tallies t));

-- Where one provider sends nearly everything, the ranges of pages that hold another one are few. Settling pays next to
-- nothing for it; a tree over (provider, email_id) would cost it 2.5 µs an email.
create index email_attempts_provider on postrider.email_attempts using brin (provider)
  with (pages_per_range = 16, autosummarize = on);
