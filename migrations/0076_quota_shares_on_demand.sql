-- A quota has as many shares as its transactions have needed, where it had 128 from the start.
-- oldest-code: 1

-- Adds an unused share, without waiting: false when another transaction is adding it or it is there.
create function postrider.add_quota_share(of_tenant text, of_period text, number smallint) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended('postrider.quota:' || of_period || ':' || of_tenant, number)) then
    return false;
  end if;
  insert into postrider.quota_shares (tenant, period, share, period_start, used)
  select q.tenant, q.period, number, to_timestamp(0), 0
  from postrider.quotas q
  where q.tenant = of_tenant and q.period = of_period and number between 0 and 127
  on conflict do nothing;
  return found;
end $$;

-- As in 0010, but the lowest shares come first, so that a tenant whose transactions do not overlap uses few of them,
-- and shares that are missing are added when those that exist are spent or locked.
create or replace function postrider.take_quotas(tenants text[], wanted integer[])
returns table (tenant text, period text, most bigint, used bigint, reset_at timestamptz)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  utc constant timestamp := clock_timestamp() at time zone 'UTC';
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
    -- the sum also holds where the quota was made smaller than what its shares have spent
    if quota.total + quota.wanted <= quota.max_emails then
      open parts for
        select s.share, case when s.period_start = quota.starts then s.used else 0 end as spent,
          (quota.max_emails + s.share) / 128 as allotted
        from postrider.quota_shares s
        where s.tenant = quota.tenant and s.period = quota.period
          and case when s.period_start = quota.starts then s.used else 0 end < (quota.max_emails + s.share) / 128
        order by s.share
        for update skip locked;
      while need > 0 loop
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
        for part in
          select n::smallint as share, (quota.max_emails + n) / 128 as allotted from generate_series(0, 127) n
          where (quota.max_emails + n) / 128 > 0 and not exists (
            select from postrider.quota_shares s
            where s.tenant = quota.tenant and s.period = quota.period and s.share = n)
          order by n
        loop
          exit when need <= 0;
          continue when not postrider.add_quota_share(quota.tenant, quota.period, part.share);
          held_tenant := held_tenant || quota.tenant;
          held_period := held_period || quota.period;
          held_share := held_share || part.share;
          held_start := held_start || quota.starts;
          held_used := held_used || least(need, part.allotted);
          need := need - least(need, part.allotted);
        end loop;
      end if;
    end if;
    if need > 0 then
      return query select quota.tenant, quota.period, quota.max_emails, quota.total, quota.ends;
      return;
    end if;
  end loop;
  update postrider.quota_shares s set period_start = h.starts, used = h.spent
  from unnest(held_tenant, held_period, held_share, held_start, held_used) as h(tenant, period, share, starts, spent)
  where s.tenant = h.tenant and s.period = h.period and s.share = h.share;
end $$;
