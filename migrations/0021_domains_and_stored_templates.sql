-- What tenants manage themselves over the Resend API: the domains they prove to be theirs, and templates kept as text.
-- oldest-code: 1

create table postrider.domains (
  id uuid primary key default postrider.new_id(),
  tenant text collate "C" not null,
  name text collate "C" not null,
  -- what the tenant has to publish in DNS
  token text not null,
  -- region, tls, capabilities and tracking as they were asked for
  settings jsonb not null default '{}',
  checked_at timestamptz,
  verified_at timestamptz,
  created_at timestamptz not null default now(),
  unique (tenant, name)
);

create table postrider.stored_templates (
  id uuid primary key default postrider.new_id(),
  tenant text collate "C" not null,
  alias text collate "C",
  name text not null,
  -- subject, html, text, from, replyTo, variables
  draft jsonb not null,
  -- null until it was published
  published jsonb,
  -- of what is published, or of the draft before
  version uuid not null default postrider.new_id(),
  published_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index stored_templates_page on postrider.stored_templates (tenant, id);
create unique index stored_templates_alias on postrider.stored_templates (tenant, alias) where alias is not null;
