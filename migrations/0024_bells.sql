-- Engines that wake workers through a broker: which rows have a bell on its way.
-- oldest-code: 1

-- when a bell for the row went to the broker, or is expected back from it; null: none is out. A row that
-- has one is neither ready nor owned; what is rung too long ago becomes ready again, whichever engine runs
alter table postrider.email_queue add column rung_at timestamptz;

create index email_queue_rung on postrider.email_queue (rung_at) where rung_at is not null and owner is null;
