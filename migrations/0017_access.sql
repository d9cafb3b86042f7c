-- Who may send: tenants with their senders, API keys, and the log of what operators did.
-- oldest-code: 1

create table postrider.tenants (
  id text collate "C" primary key,
  name text,
  -- the only domains its emails may come from; null: no list
  from_domains text[],
  created_at timestamptz not null default now(),
  disabled_at timestamptz
);

create table postrider.api_keys (
  id uuid primary key default postrider.new_id(),
  tenant text collate "C" not null references postrider.tenants (id),
  name text not null,
  -- SHA-256 in hex; the token itself is shown once and kept nowhere
  token_hash text collate "C" not null unique,
  -- how it begins, to tell keys apart
  hint text not null,
  permission text not null check (permission in ('full', 'sending')),
  -- narrower than the tenant's; null: the tenant's
  from_domains text[],
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);

create index api_keys_tenant on postrider.api_keys (tenant, id);

create table postrider.audit_log (
  id uuid primary key default postrider.new_id(),
  at timestamptz not null default clock_timestamp(),
  actor_kind text not null,
  actor_id text,
  actor_name text not null,
  action text not null,
  target text,
  tenant text collate "C",
  -- done: written with the act itself; asked: written before it; refused: what became of one that was asked
  outcome text not null check (outcome in ('done', 'asked', 'refused')),
  ip text,
  request_id text,
  detail jsonb not null default '{}'
);

create function postrider.refuse_audit_change() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
  raise exception 'the audit log is only added to' using errcode = '42501';
end $$;

create trigger audit_log_kept before update or delete on postrider.audit_log
  for each row execute function postrider.refuse_audit_change();
create trigger audit_log_whole before truncate on postrider.audit_log
  for each statement execute function postrider.refuse_audit_change();
