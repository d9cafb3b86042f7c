-- What is due of an endpoint, and what is leased of it, is found in the order of an index however many deliveries are over.
-- oldest-code: 1

create index webhook_deliveries_leases on postrider.webhook_deliveries (endpoint_id, leased_until)
  where leased_until is not null;
drop index postrider.webhook_deliveries_leased;

-- Senders keep their statements planned. A plan made while there are a few deliveries reads all of them, and goes on doing
-- so when a million come: so the table has some pages from the start and keeps them, as the queue of emails has.
alter table postrider.webhook_deliveries set (vacuum_truncate = off);
insert into postrider.webhook_deliveries (endpoint_id, tenant, type, payload, status, due_at)
select postrider.new_id(), '', '', to_jsonb(repeat('x', 1700)), 'success', null from generate_series(1, 600);
delete from postrider.webhook_deliveries where tenant = '' and type = '';
