-- A pause of everything may hold webhooks, bus events and schedules too: a restored store must not repeat what it told
-- before, or start campaigns, until somebody has looked.
-- oldest-code: 46

alter table postrider.pauses add column events boolean not null default false;
comment on column postrider.pauses.events is
  'true where webhooks, bus events and schedules are held along with emails; only with scope all';
