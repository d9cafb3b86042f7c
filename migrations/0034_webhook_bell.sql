-- Whoever delivers webhooks is told when one is owed, as workers are told of emails.
-- oldest-code: 1

-- Coalesced by a try-lock, as the bell of emails is: of transactions that commit at the same moment one rings.
create function postrider.ring_webhooks() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
  if pg_try_advisory_xact_lock(7707, 17) then
    perform pg_notify('postrider_webhooks', '');
  end if;
  return null;
end $$;

create constraint trigger webhook_deliveries_bell
  after insert on postrider.webhook_deliveries
  deferrable initially deferred
  for each row execute function postrider.ring_webhooks();
