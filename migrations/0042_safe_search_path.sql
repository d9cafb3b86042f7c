-- Types of a caller's temporary schema are looked up last. Where pg_temp is not named it is searched first: a role with
-- `execute` on accept_v1 alone could make a domain named jsonb there, whose check ran with the rights of the owner.
-- oldest-code: 1

do $$
declare
  ours regprocedure;
begin
  for ours in
    select p.oid from pg_catalog.pg_proc p
    where p.pronamespace = 'postrider'::regnamespace and 'search_path=pg_catalog' = any (p.proconfig)
  loop
    execute pg_catalog.format('alter function %s set search_path = pg_catalog, pg_temp', ours);
  end loop;
end $$;
