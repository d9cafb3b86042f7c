-- Groups of a tenant's people, what they can be written to about, and emails to a whole group.
-- oldest-code: 1

create table postrider.segments (
  id uuid primary key default postrider.new_id(),
  tenant text collate "C" not null,
  name text not null,
  created_at timestamptz not null default now()
);

create index segments_page on postrider.segments (tenant, id);

create table postrider.segment_members (
  segment_id uuid not null references postrider.segments (id) on delete cascade,
  recipient_id uuid not null references postrider.recipients (id) on delete cascade,
  primary key (segment_id, recipient_id)
);

create index segment_members_recipient on postrider.segment_members (recipient_id);

-- Whether a person wants one stands in their preferences, under the category.
create table postrider.topics (
  id uuid primary key default postrider.new_id(),
  tenant text collate "C" not null,
  name text not null,
  description text,
  category text collate "C" not null,
  -- what holds for those who have said nothing
  opt_in boolean not null,
  created_at timestamptz not null default now(),
  unique (tenant, category)
);

create table postrider.broadcasts (
  id uuid primary key default postrider.new_id(),
  tenant text collate "C" not null,
  name text not null,
  segment_id uuid,
  topic_id uuid,
  -- from, replyTo, subject, previewText, html, text
  content jsonb not null,
  status text not null default 'draft' check (status in ('draft', 'queued')),
  scheduled_at timestamptz,
  -- since then its run exists, and it can no longer be taken back
  opened_at timestamptz,
  created_at timestamptz not null default now()
);

create index broadcasts_page on postrider.broadcasts (tenant, id);
create index broadcasts_due on postrider.broadcasts (scheduled_at) where status = 'queued' and opened_at is null;
