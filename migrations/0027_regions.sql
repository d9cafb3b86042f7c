-- Regions: which one a store is of, and in which one a tenant's emails are kept.
-- oldest-code: 1

-- At most one row, written when a process first opens the store under the name of a region. A store that says another
-- name is refused, so that crossed addresses of databases cannot put people's data where it must not be.
create table postrider.store_region (
  one boolean primary key default true check (one),
  name text not null,
  named_at timestamptz not null default now()
);

alter table postrider.tenants add column region text;
