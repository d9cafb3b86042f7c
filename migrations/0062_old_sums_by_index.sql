-- Sums past retention are found each hour without reading all of them.
-- oldest-code: 1

create index email_tally_sums_bucket on postrider.email_tally_sums (bucket);
