-- What a company keeps of its contacts beside name and address, and what stands for it where nothing is known.
-- oldest-code: 1

create table postrider.contact_properties (
  id uuid primary key default postrider.new_id(),
  tenant text collate "C" not null,
  -- as it was first written; placeholders are found whatever their case
  key text collate "C" not null,
  type text not null check (type in ('string', 'number')),
  fallback text,
  created_at timestamptz not null default now()
);

create unique index contact_properties_key on postrider.contact_properties (tenant, upper(key));
