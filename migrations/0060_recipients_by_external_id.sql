-- People are found by an application's own id, also those that were deleted, without reading all of their tenant.
-- oldest-code: 1

create index recipients_named on postrider.recipients (tenant, external_id) where external_id is not null;
