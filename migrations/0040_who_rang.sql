-- Who rang for a row: what a worker marked as rung and died before its bell was out need not wait until bells count as lost.
-- oldest-code: 1

-- the worker that marked the row as rung last; means something only while `rung_at` says that a bell is out
alter table postrider.email_queue add column rung_by integer;
