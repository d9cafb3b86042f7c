-- Ids made one after the other rise, also within a millisecond: lists ordered by id are in the order of their writing.
-- oldest-code: 1

create sequence postrider.id_order as bigint cycle minvalue 0 maxvalue 1073741823;

-- UUIDv7 (RFC 9562): milliseconds, the microseconds of the millisecond (method 3), and a counter (method 1), because
-- the embedded store's clock counts milliseconds. The last 32 bits are random.
create or replace function postrider.new_id() returns uuid
language sql volatile
set search_path = pg_catalog
as $$
  select (
    lpad(to_hex(us / 1000), 12, '0')
    || '7' || lpad(to_hex(us % 1000 * 4096 / 1000), 3, '0')
    || to_hex(2147483648 + nextval('postrider.id_order'))
    || right(gen_random_uuid()::text, 8)
  )::uuid
  from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as us) as now
$$;
