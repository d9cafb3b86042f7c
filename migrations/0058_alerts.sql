-- Alerts: episodes of what is wrong, and the messages about them that still have to go out.
-- oldest-code: 46

create table postrider.alert_episodes (
  id uuid primary key default postrider.new_id(),
  alert text collate "C" not null,
  -- what is concerned, such as a route's name; '' for all of it
  subject text collate "C" not null default '',
  tenant text collate "C",
  severity text not null check (severity in ('page', 'ticket')),
  -- as it was last seen
  sentence text not null,
  -- when the condition was first and last seen
  began_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  -- null until it has held for as long as it must
  opened_at timestamptz,
  -- since when it has not been seen
  clear_since timestamptz,
  ended_at timestamptz
);

create unique index alert_episodes_open on postrider.alert_episodes (alert, subject) where ended_at is null;
create index alert_episodes_ended on postrider.alert_episodes (ended_at) where ended_at is not null;

create table postrider.alert_notifications (
  episode_id uuid not null references postrider.alert_episodes (id) on delete cascade,
  channel text not null check (channel in ('webhook', 'slack', 'email')),
  kind text not null check (kind in ('begin', 'end')),
  attempt integer not null default 0,
  -- null once it is over
  due_at timestamptz default clock_timestamp(),
  leased_until timestamptz,
  sent_at timestamptz,
  last_error text,
  primary key (episode_id, channel, kind)
);

create index alert_notifications_due on postrider.alert_notifications (due_at) where due_at is not null;

-- Of all processes together: when somebody last looked, and when the heartbeat address was last called.
create table postrider.alert_rounds (
  single boolean primary key default true check (single),
  evaluated_at timestamptz not null default '-infinity',
  heartbeat_at timestamptz not null default '-infinity'
);

insert into postrider.alert_rounds default values;

-- Rates look at a day of these few kinds; other facts pay nothing.
create index email_facts_reported on postrider.email_facts (type, created_at)
  where type in ('BOUNCED', 'COMPLAINED', 'EXPIRED');
