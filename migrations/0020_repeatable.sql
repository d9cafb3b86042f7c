-- An email whose answer was lost may be repeated without a second copy where the provider recognises it.
-- oldest-code: 1

-- until when its route recognises a repeat; null: no attempt left that open
alter table postrider.email_queue add column repeatable_until timestamptz;
