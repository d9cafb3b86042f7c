-- A commit wakes two workers instead of all: one works at once, the other looks a few milliseconds later whether anything is
-- left. Every worker also looks by itself, so an email or a webhook waits for none that is dead or frozen.
-- oldest-code: 1

-- whether it listens on channels of its own; older code does not
alter table postrider.workers add column own_channels boolean not null default false;
-- whether it has as much as it can do; others are woken first. Written with each beat
alter table postrider.workers add column busy boolean not null default false;

-- Wakes two of the live workers. Where one of older code is alive, or nobody is known to listen, all are woken. It reads the
-- workers for callers who may not.
create function postrider.wake_two(everyone text, first text, second text) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  chosen integer[];
  all_own boolean;
begin
  select array_agg(w.id order by w.busy, random()), bool_and(w.own_channels) into chosen, all_own
  from postrider.workers w
  where w.ended_at is null and not w.shared_session and w.beat_at > clock_timestamp() - interval '2 seconds';
  if all_own is not true then
    perform pg_notify(everyone, '');
    return;
  end if;
  perform pg_notify(first || chosen[1], '');
  if chosen[2] is not null then
    perform pg_notify(second || chosen[2], '');
  end if;
end $$;

revoke all on function postrider.wake_two from public;

-- Both are called at commit. Coalesced by a try-lock: a NOTIFY in every transaction would serialise commits.
create or replace function postrider.ring_bell() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if pg_try_advisory_xact_lock(7707, 1) then
    perform postrider.wake_two('postrider_bell', 'postrider_bell_', 'postrider_later_');
  end if;
  return null;
end $$;

create or replace function postrider.ring_webhooks() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if pg_try_advisory_xact_lock(7707, 17) then
    perform postrider.wake_two('postrider_webhooks', 'postrider_webhooks_', 'postrider_webhooks_later_');
  end if;
  return null;
end $$;

revoke all on function postrider.ring_bell, postrider.ring_webhooks from public;
