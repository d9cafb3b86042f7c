-- A tenant's own content for a type in a language, instead of what the code brings.
-- oldest-code: 1

-- What was published never changes: publishing and rolling back add versions, so the table is its own history.
create table postrider.email_templates (
  id uuid primary key default postrider.new_id(),
  tenant text collate "C" not null,
  type text not null,
  lang text not null,
  version integer not null,
  -- one draft and one published at most; retired is what was published before
  state text not null check (state in ('draft', 'published', 'retired')),
  subject text not null,
  html_content text not null,
  -- null: derived from the HTML
  text_content text,
  -- false: kept, but the code's own content is used
  is_active boolean not null default true,
  updated_by text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  published_at timestamptz,
  unique (tenant, type, lang, version)
);

create unique index email_templates_draft on postrider.email_templates (tenant, type, lang) where state = 'draft';
create unique index email_templates_published on postrider.email_templates (tenant, type, lang) where state = 'published';

-- Rises with every change to what is published, in the same transaction: one small row tells every process
-- whether to read again, and its lock puts writers in order.
create table postrider.email_template_revision (
  single boolean primary key default true check (single),
  revision integer not null
);

insert into postrider.email_template_revision (revision) values (1);
