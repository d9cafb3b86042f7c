-- Two marks instead of one: `opened` when a worker fetches the content, `begun` before the first byte goes out. Older code
-- goes on writing `begun` for both, which newer code reads as both.
-- oldest-code: 46

-- content was fetched by the owner: if its process dies, the row is a suspect of having caused that
alter table postrider.email_queue add column opened boolean not null default false;

-- of a suspect: how many suspects may be attempted together where it is one of them; halves with every death
alter table postrider.email_queue add column group_limit smallint not null default 0;
