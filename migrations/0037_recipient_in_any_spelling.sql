-- An address is found however it was spelled, by the same number of indexes.
-- oldest-code: 1

-- Compared byte by byte, which is what an index that is only asked for equality needs.
create index emails_recipient on postrider.emails (lower(to_address) collate "C", id);
drop index postrider.emails_to;
