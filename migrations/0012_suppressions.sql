-- Who must not be written to, and why.
-- oldest-code: 1

create table postrider.suppressions (
  id uuid primary key default postrider.new_id(),
  tenant text collate "C" not null,
  -- the keyed hash that finds the row; all that is left of a person who was erased
  address_hash bytea not null,
  address text,
  reason text not null check (reason in ('bounce', 'complaint', 'manual', 'unsubscribe')),
  -- the preference an unsubscribe is about; empty: everything
  category text collate "C" not null default '',
  -- the email that led to it, where one did
  email_id uuid,
  note text,
  created_at timestamptz not null default now()
);

create unique index suppressions_address on postrider.suppressions (tenant, address_hash, reason, category);
create index suppressions_page on postrider.suppressions (tenant, id);
