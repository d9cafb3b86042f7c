/**
 * What the alerts ask of the store. Each statement reads a bounded number of rows by index: the queue is sampled from
 * its oldest rows and from the head of each route, priority and tenant, never counted. Tenants with thresholds of their
 * own are looked at whatever their place.
 */

// A recursion takes one index probe per step: the ready index is ordered by route, priority, tenant and id, so each
// step finds the oldest email of the next tenant.
const candidates = (tenants: string) => `
  heads as (
    (select q.id, q.priority, q.route, q.tenant, 1 as step from postrider.email_queue q where q.ready
     order by q.route, q.priority, q.tenant, q.id limit 1)
    union all
    select n.id, n.priority, n.route, n.tenant, h.step + 1 from heads h cross join lateral (
      select q.id, q.priority, q.route, q.tenant from postrider.email_queue q
      where q.ready and (q.route, q.priority, q.tenant) > (h.route, h.priority, h.tenant)
      order by q.route, q.priority, q.tenant, q.id limit 1
    ) n where h.step < 100
  ),
  sampled as (
    select id, priority, route, tenant from heads
    union
    select n.id, n.priority, n.route, n.tenant
    from (select distinct route, priority from heads) h cross join unnest(${tenants}) named(tenant)
    cross join lateral (
      select q.id, q.priority, q.route, q.tenant from postrider.email_queue q
      where q.ready and q.route = h.route and q.priority = h.priority and q.tenant = named.tenant
      order by q.id limit 1
    ) n
    union
    select o.id, o.priority, o.route, o.tenant from (
      select id, priority, route, tenant, ready, owner, rung_at from postrider.email_queue order by id limit 500
    ) o where o.ready or o.owner is not null or o.rung_at is not null
    union
    (select id, priority, route, tenant from postrider.email_queue where owner is not null limit 500)
    union
    (select id, priority, route, tenant from postrider.email_queue
     where rung_at is not null and owner is null order by rung_at limit 200)
  )`;

// What was attempted before waits for its turn as it should, and what is paused for a person. Each priority has its
// share, so that a large mailing in the lowest hides nothing.
const late = (olderThan: string) => `
  late as (
    select s.id, s.priority, s.tenant, e.type, e.since from (
      select id, priority, route, tenant, row_number() over (partition by priority order by id) as place from sampled
      where id < postrider.id_floor(clock_timestamp() - ${olderThan} * interval '1 second')
    ) s
    join lateral (
      select greatest(x.created_at, coalesce(x.scheduled_at, x.created_at)) as since, x.type
      from postrider.emails x where x.id = s.id
    ) e on isfinite(e.since)
    where s.place <= 50 and not exists (select from postrider.email_attempts a where a.email_id = s.id)
      and not exists (select from postrider.pauses p where p.scope = 'all'
        or (p.scope = 'route' and p.value = s.route) or (p.scope = 'tenant' and p.value = s.tenant)
        or (p.scope = 'type' and p.value = e.type))
  )`;

const QUOTAS_AT_ONCE = 200;

const ALIVE = `select from postrider.workers
    where ended_at is null and beat_at > clock_timestamp() - interval '10 seconds'`;

export const NOTHING_SENT = `
  with recursive ${candidates("'{}'::text[]")}, ${late('$1::float8')}
  select extract(epoch from clock_timestamp() - min(l.since))::float8 as waited from late l
  where l.since < clock_timestamp() - $1::float8 * interval '1 second'
    and exists (${ALIVE})
    and not exists (select from postrider.email_attempts a
      where a.settled_at > clock_timestamp() - $1::float8 * interval '1 second' and a.status = 'sent')
  having count(*) > 0`;

// $1: the shortest limit of all; $2, $3: tenants and types that have their own.
export const EMAILS_WAIT = `
  with recursive ${candidates('$2::text[]')}, ${late('$1::float8')}
  select l.priority = 4 as bulk, case when l.tenant = any ($2::text[]) then l.tenant end as tenant,
    case when l.type = any ($3::text[]) then l.type end as type,
    extract(epoch from clock_timestamp() - min(l.since))::float8 as waited
  from late l
  where l.since < clock_timestamp() - $1::float8 * interval '1 second' and exists (${ALIVE})
  group by 1, 2, 3`;

export const NO_WORKER = `
  select seen.silent, waiting.waits from (
    select extract(epoch from clock_timestamp() - max(w.beat_at))::float8 as silent, bool_or(w.ended_at is null) as vanished
    from (select beat_at, ended_at from postrider.workers order by id desc limit 50) w
  ) seen
  cross join (
    select exists (select from postrider.email_queue where ready)
      or exists (select from postrider.email_queue where due_at < clock_timestamp())
      or exists (select from postrider.email_queue where owner is not null) as waits
  ) waiting
  where not exists (${ALIVE}) and (waiting.waits or seen.vanished)`;

export const BUS_LATE = `
  select extract(epoch from clock_timestamp())::float8
    - ('x' || left(replace(b.id::text, '-', ''), 12))::bit(48)::bigint / 1000.0::float8 as waited
  from (select id from postrider.bus_events order by id limit 1) b
  where b.id < postrider.id_floor(clock_timestamp() - $1::float8 * interval '1 second')`;

// A route that no living worker was started with is not in use any more.
export const ROUTE_FAILING = `
  select r.name, extract(epoch from clock_timestamp() - r.changed_at)::float8 as open, r.reason
  from postrider.routes r
  where r.state <> 'closed' and r.started_at >= (
    select min(w.started_at) - interval '1 minute' from postrider.workers w
    where w.ended_at is null and w.beat_at > clock_timestamp() - interval '10 seconds')
  order by r.name limit 50`;

// Claims skip what a route or tenant is paused for; what a type is paused for is set aside.
export const PAUSED = `
  select p.scope, p.value, p.reason, extract(epoch from clock_timestamp() - p.created_at)::float8 as age
  from (
    select * from postrider.pauses
    where created_by = 'worker' or created_at < clock_timestamp() - $1::float8 * interval '1 second'
    order by created_at limit 100
  ) p
  where case p.scope
      when 'all' then exists (select from postrider.email_queue where ready)
      when 'route' then exists (select from postrider.email_queue q where q.ready and q.route = p.value)
      when 'tenant' then exists (
        select from postrider.routes r cross join generate_series(1, 4) priority cross join lateral (
          select from postrider.email_queue q
          where q.ready and q.route = r.name and q.priority = priority::smallint and q.tenant = p.value limit 1) one)
      else false end
    or exists (select from postrider.email_queue q where q.parked and q.parked_by = p.scope || ':' || p.value)
  order by p.scope, p.value limit 50`;

// $1: the fewest emails that count; $2: the lowest rate; $3: tenants with limits of their own, whose tallies are added up.
export const FAILURES = `
  select x.tenant, x.type, x.failed, x.ended from (
    select null as tenant,
      case when grouping(s.type) = 1 then null else coalesce(nullif(s.type, ''), '(none)') end as type,
      coalesce(sum(s.count) filter (where s.status = 'failed'), 0)::int as failed, sum(s.count)::int as ended
    from postrider.email_tally_sums s
    where s.tenant = '' and s.hours = 1 and s.status in ('sent', 'failed')
      and s.bucket >= date_trunc('hour', clock_timestamp(), 'UTC') - interval '1 hour'
    group by grouping sets ((), (s.type))
    union all
    select t.tenant, null, coalesce(sum(t.count) filter (where t.status = 'failed'), 0)::int, sum(t.count)::int
    from postrider.email_tallies t
    where t.tenant = any ($3::text[]) and t.status in ('sent', 'failed')
      and t.bucket >= date_trunc('hour', clock_timestamp(), 'UTC') - interval '1 hour'
    group by t.tenant
  ) x
  where x.ended >= $1::int and x.failed > 0 and x.failed * 100.0 > x.ended * $2::float8
  order by x.failed desc limit 200`;

export const UNKNOWN_OUTCOMES = `
  select count(*)::int as count from (
    select a.email_id from postrider.email_attempts a
    where a.final and a.status = 'unknown' and a.settled_at > clock_timestamp() - interval '1 hour'
      and a.email_id >= postrider.id_floor(clock_timestamp() - interval '7 days')
      and not exists (select from postrider.email_facts f where f.email_id = a.email_id and f.created_at > a.settled_at)
    limit 1000
  ) u`;

// $1: the kind; $2: the fewest emails that count; $3: the lowest rate. The facts of single tenants and types, $4 and $5,
// are told apart by their emails, since yesterday began (UTC), as their sums are.
export const REPORTS = `
  with day as (select date_trunc('day', clock_timestamp(), 'UTC') - interval '1 day' as starts),
  named as (
    select e.tenant, coalesce(e.type, '') as type from (
      select f.email_id from postrider.email_facts f
      where f.type = $1::postrider.event_type and f.type in ('BOUNCED', 'COMPLAINED', 'EXPIRED')
        and f.created_at >= (select starts from day) and cardinality($4::text[] || $5::text[]) > 0
      limit 10000) f
    join lateral (select t.tenant, t.type from postrider.emails t where t.id = f.email_id) e on true
    where e.tenant = any ($4::text[]) or e.type = any ($5::text[])
  )
  select x.tenant, x.type, x.count, x.sent from (
    select null as tenant, null as type, r.count, s.sent from (
      select count(*)::int as count from (
        select from postrider.email_facts f
        where f.type = $1::postrider.event_type and f.type in ('BOUNCED', 'COMPLAINED', 'EXPIRED')
          and f.created_at > clock_timestamp() - interval '1 day'
        limit 10000) f
    ) r
    cross join (
      select coalesce(sum(s.count), 0)::int as sent from postrider.email_tally_sums s
      where s.tenant = '' and s.hours = 1 and s.status = 'sent' and s.bucket >= clock_timestamp() - interval '1 day'
    ) s
    union all
    select n.tenant, null, (select count(*)::int from named where named.tenant = n.tenant), s.sent
    from unnest($4::text[]) n(tenant) cross join lateral (
      select coalesce(sum(s.count), 0)::int as sent from postrider.email_tally_sums s
      where s.tenant = n.tenant and s.hours = 24 and s.status = 'sent' and s.bucket >= (select starts from day)
    ) s
    union all
    select null, n.type, (select count(*)::int from named where named.type = n.type), s.sent
    from unnest($5::text[]) n(type) cross join lateral (
      select coalesce(sum(s.count), 0)::int as sent from postrider.email_tally_sums s
      where s.tenant = '' and s.hours = 24 and s.status = 'sent' and s.bucket >= (select starts from day)
        and s.type = n.type
    ) s
  ) x
  where x.sent >= $2::int and x.count > 0 and x.count > x.sent * $3::float8`;

export const EXPIRED = `
  select e.type, count(*)::int as expired from (
    select f.email_id from postrider.email_facts f
    where f.type = 'EXPIRED' and f.type in ('BOUNCED', 'COMPLAINED', 'EXPIRED')
      and f.created_at > clock_timestamp() - interval '15 minutes'
    limit 1000) f
  join lateral (select coalesce(t.type, '') as type from postrider.emails t where t.id = f.email_id) e on true
  group by e.type having count(*) >= 3
  order by e.type limit 20`;

const QUOTAS_LEFT_AT = `
  moved as (
    update postrider.alert_rounds r
    set (quota_tenant, quota_period) = (
      select case when count(*) = ${QUOTAS_AT_ONCE} then max(n.tenant) else '' end,
        case when count(*) = ${QUOTAS_AT_ONCE} then (array_agg(n.period order by n.tenant desc, n.period desc))[1] else '' end
      from next n)
  )`;

// A few hundred quotas are added up at a time: those an episode is about, and the next after the last that were. The
// sum of one is 128 rows.
export const QUOTA = `
  with place as (select quota_tenant, quota_period from postrider.alert_rounds),
  next as (
    select q.tenant, q.period from postrider.quotas q
    where (q.tenant, q.period) > (select quota_tenant, quota_period from place)
    order by q.tenant, q.period limit ${QUOTAS_AT_ONCE}
  ),
  ${QUOTAS_LEFT_AT},
  wanted as (
    select tenant, period from next
    union
    select e.tenant, split_part(e.subject, ' of ', 1) from postrider.alert_episodes e
    where e.alert = 'quota' and e.ended_at is null
  )
  select q.tenant, q.period, q.max_emails::float8 as most, u.used::float8 as used, postrider.iso_time(p.ends) as ends
  from wanted w
  join postrider.quotas q on q.tenant = w.tenant and q.period = w.period
  cross join lateral (
    select date_trunc(q.period, clock_timestamp() at time zone 'UTC') at time zone 'UTC' as starts,
      (date_trunc(q.period, clock_timestamp() at time zone 'UTC') + ('1 ' || q.period)::interval) at time zone 'UTC' as ends
  ) p
  cross join lateral (
    select coalesce(sum(s.used), 0) as used from postrider.quota_shares s
    where s.tenant = q.tenant and s.period = q.period and s.period_start = p.starts
  ) u
  where q.max_emails > 0 and u.used * 100.0 >= q.max_emails * $1::float8
  order by q.tenant, q.period limit 200`;

export const WEBHOOK_FAILING = `
  select w.id, w.tenant, w.url, extract(epoch from clock_timestamp() - w.failing_since)::float8 as failing
  from postrider.webhook_endpoints w
  where w.failing_since < clock_timestamp() - $1::float8 * interval '1 second' and w.disabled_at is null
  order by w.failing_since limit 200`;

export const SCHEDULE_STUCK = `
  select x.schedule, max(x.state) as state, max(x.error) as error from (
    (select r.schedule, r.state, r.last_error as error from postrider.schedule_runs r
     where r.state = 'running' and r.failures >= 3 limit 100)
    union all
    (select r.schedule, r.state, r.last_error from postrider.schedule_runs r
     where r.id >= postrider.id_floor(clock_timestamp() - interval '1 day') and r.state = 'failed' limit 100)
  ) x group by x.schedule order by x.schedule limit 20`;
