-- How many emails ended how, counted once: statistics add up small rows instead of reading the ledger.
-- oldest-code: 1

-- The five minutes in which an email was accepted, from its id.
create function postrider.id_bucket(id uuid) returns timestamptz
language sql immutable parallel safe
set search_path = pg_catalog
as $$
  select to_timestamp((('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 300000) * 300)
$$;

create table postrider.email_tallies (
  bucket timestamptz not null,
  tenant text collate "C" not null,
  -- '' for none, as with provider
  type text collate "C" not null,
  provider text collate "C" not null,
  status postrider.email_status not null,
  -- an end that a person answered with another round is taken off again
  count integer not null,
  primary key (bucket, tenant, type, provider, status)
);

-- Ends recorded up to then are in the tallies; the later ones are counted as they are read.
create table postrider.email_tally_mark (
  single boolean primary key default true check (single),
  counted_until timestamptz not null
);

insert into postrider.email_tally_mark (counted_until) values ('2000-01-01');

-- Attempts are written in the order they end, so a few bytes per range of pages find the latest.
create index email_attempts_settled on postrider.email_attempts using brin (settled_at)
  with (pages_per_range = 16, autosummarize = on);
create index email_facts_created on postrider.email_facts using brin (created_at)
  with (pages_per_range = 16, autosummarize = on);

-- An SMTP message's id holds the email's own; what other providers give is found here.
create index email_attempts_message on postrider.email_attempts (provider_message_id)
  where provider_message_id is not null and provider <> 'smtp';
