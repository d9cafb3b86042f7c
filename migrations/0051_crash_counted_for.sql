-- A worker that was cut off looks dead and is not: when it is back it takes back the crash it was counted for.
-- oldest-code: 1

-- the worker whose death was counted last in `crashes`
alter table postrider.email_queue add column crashed_by integer;
