-- How many emails a tenant may have accepted per day and month.
-- oldest-code: 1

create table postrider.quotas (
  tenant text collate "C" not null,
  period text not null check (period in ('day', 'month')),
  max_emails bigint not null check (max_emails >= 0),
  updated_at timestamptz not null default now(),
  primary key (tenant, period)
);

-- A quota is spent from 128 shares of it, so that as many transactions of one tenant can be open without waiting for
-- each other. A share that belongs to an earlier period counts as unused.
create table postrider.quota_shares (
  tenant text collate "C" not null,
  period text not null,
  share smallint not null,
  period_start timestamptz not null,
  used bigint not null,
  primary key (tenant, period, share)
) with (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);

-- Takes from every quota of these tenants, or from none; returns the one that has too little left. It never waits: a
-- share in the hands of another transaction is passed over. Share n of a quota of q is (q + n) / 128, which adds up
-- to q whatever q is.
create function postrider.take_quotas(tenants text[], wanted integer[])
returns table (tenant text, period text, most bigint, used bigint, reset_at timestamptz)
language plpgsql
set search_path = pg_catalog
as $$
declare
  utc constant timestamp := clock_timestamp() at time zone 'UTC';
  rotation constant integer := floor(random() * 128);
  quota record;
  part record;
  need bigint;
  parts refcursor;
  held_tenant text[] := '{}';
  held_period text[] := '{}';
  held_share smallint[] := '{}';
  held_start timestamptz[] := '{}';
  held_used bigint[] := '{}';
begin
  for quota in
    select w.tenant, w.wanted, q.period, q.max_emails, p.starts, p.ends, t.total
    from unnest(tenants, wanted) as w(tenant, wanted)
      join postrider.quotas q on q.tenant = w.tenant
      cross join lateral (
        select date_trunc(q.period, utc) at time zone 'UTC' as starts,
          (date_trunc(q.period, utc) + ('1 ' || q.period)::interval) at time zone 'UTC' as ends
      ) p
      cross join lateral (
        select coalesce(sum(s.used), 0)::bigint as total from postrider.quota_shares s
        where s.tenant = q.tenant and s.period = q.period and s.period_start = p.starts
      ) t
    order by w.tenant, q.period
  loop
    need := quota.wanted;
    open parts for
      select s.share, case when s.period_start = quota.starts then s.used else 0 end as spent,
        (quota.max_emails + s.share) / 128 as allotted
      from postrider.quota_shares s
      where s.tenant = quota.tenant and s.period = quota.period
        and case when s.period_start = quota.starts then s.used else 0 end < (quota.max_emails + s.share) / 128
      order by (s.share + rotation) % 128
      for update skip locked;
    -- the sum also holds where the quota was made smaller than what its shares have spent
    while need > 0 and quota.total + quota.wanted <= quota.max_emails loop
      fetch parts into part;
      exit when not found;
      held_tenant := held_tenant || quota.tenant;
      held_period := held_period || quota.period;
      held_share := held_share || part.share;
      held_start := held_start || quota.starts;
      held_used := held_used || part.spent + least(need, part.allotted - part.spent);
      need := need - least(need, part.allotted - part.spent);
    end loop;
    close parts;
    if need > 0 then
      return query select quota.tenant, quota.period, quota.max_emails, quota.total, quota.ends;
      return;
    end if;
  end loop;
  update postrider.quota_shares s set period_start = h.starts, used = h.spent
  from unnest(held_tenant, held_period, held_share, held_start, held_used) as h(tenant, period, share, starts, spent)
  where s.tenant = h.tenant and s.period = h.period and s.share = h.share;
end $$;
