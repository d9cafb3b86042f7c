-- What is due of an endpoint, and what is leased of it, is found in the order of an index however many deliveries are over.
-- oldest-code: 1

create index webhook_deliveries_leases on postrider.webhook_deliveries (endpoint_id, leased_until)
  where leased_until is not null;
drop index postrider.webhook_deliveries_leased;
