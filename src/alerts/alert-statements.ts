/**
 * What the alerts ask of the store. Each statement reads a bounded number of rows by index: the queue is sampled from
 * its oldest rows and from the head of each route, priority and tenant, never counted.
 */

// A recursion takes one index probe per step: the ready index is ordered by route, priority, tenant and id, so each
// step finds the oldest email of the next tenant.
const CANDIDATES = `
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
    select o.id, o.priority, o.route, o.tenant from (
      select id, priority, route, tenant, ready, owner, rung_at from postrider.email_queue order by id limit 500
    ) o where o.ready or o.owner is not null or o.rung_at is not null
    union
    (select id, priority, route, tenant from postrider.email_queue where owner is not null limit 500)
    union
    (select id, priority, route, tenant from postrider.email_queue
     where rung_at is not null and owner is null order by rung_at limit 200)
  )`;

// What was attempted before waits for its turn as it should, and what is paused for a person.
const late = (olderThan: string) => `
  late as (
    select s.id, s.priority, e.since from (
      select id, priority, route, tenant from sampled
      where id < postrider.id_floor(clock_timestamp() - ${olderThan} * interval '1 second') order by id limit 50
    ) s
    join lateral (
      select greatest(x.created_at, coalesce(x.scheduled_at, x.created_at)) as since, x.type
      from postrider.emails x where x.id = s.id
    ) e on isfinite(e.since)
    where not exists (select from postrider.email_attempts a where a.email_id = s.id)
      and not exists (select from postrider.pauses p where p.scope = 'all'
        or (p.scope = 'route' and p.value = s.route) or (p.scope = 'tenant' and p.value = s.tenant)
        or (p.scope = 'type' and p.value = e.type))
  )`;

const ALIVE = `select from postrider.workers
    where ended_at is null and beat_at > clock_timestamp() - interval '10 seconds'`;

export const NOTHING_SENT = `
  with recursive ${CANDIDATES}, ${late('$1::float8')}
  select extract(epoch from clock_timestamp() - min(l.since))::float8 as waited from late l
  where l.since < clock_timestamp() - $1::float8 * interval '1 second'
    and exists (${ALIVE})
    and not exists (select from postrider.email_attempts a
      where a.settled_at > clock_timestamp() - $1::float8 * interval '1 second' and a.status = 'sent')
  having count(*) > 0`;

export const EMAILS_WAIT = `
  with recursive ${CANDIDATES}, ${late('least($1::float8, $2::float8)')}
  select l.priority = 4 as bulk, extract(epoch from clock_timestamp() - min(l.since))::float8 as waited from late l
  where l.since < clock_timestamp()
      - case when l.priority = 4 then $2::float8 else $1::float8 end * interval '1 second'
    and exists (${ALIVE})
  group by 1`;

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

export const FAILURES = `
  select case when grouping(s.type) = 1 then null else coalesce(nullif(s.type, ''), '(none)') end as type,
    sum(s.count) filter (where s.status = 'failed')::int as failed, sum(s.count)::int as ended
  from postrider.email_tally_sums s
  where s.tenant = '' and s.hours = 1 and s.status in ('sent', 'failed')
    and s.bucket >= date_trunc('hour', clock_timestamp(), 'UTC') - interval '1 hour'
  group by grouping sets ((), (s.type))
  having sum(s.count) >= $1::int
    and sum(s.count) filter (where s.status = 'failed') * 100.0 > sum(s.count) * $2::float8
  order by failed desc limit 20`;

export const UNKNOWN_OUTCOMES = `
  select count(*)::int as count from (
    select a.email_id from postrider.email_attempts a
    where a.final and a.status = 'unknown' and a.settled_at > clock_timestamp() - interval '1 hour'
      and a.email_id >= postrider.id_floor(clock_timestamp() - interval '7 days')
      and not exists (select from postrider.email_facts f where f.email_id = a.email_id and f.created_at > a.settled_at)
    limit 1000
  ) u`;

export const REPORTS = `
  select r.count, s.sent from (
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
  where s.sent >= $2::int and r.count > s.sent * $3::float8`;

export const LATE = `
  select x.type, sum(x.expired)::int as expired, sum(x.late)::int as late from (
    select e.type, 1 as expired, 0 as late from (
      select f.email_id from postrider.email_facts f
      where f.type = 'EXPIRED' and f.type in ('BOUNCED', 'COMPLAINED', 'EXPIRED')
        and f.created_at > clock_timestamp() - interval '15 minutes'
      limit 1000) f
    join lateral (select t.type from postrider.emails t where t.id = f.email_id) e on e.type is not null
    union all
    select e.type, 0, 1 from (
      select t.email_id, t.settled_at from postrider.email_attempts t
      where t.email_id >= postrider.id_floor(clock_timestamp() - interval '15 minutes')
        and t.final and t.status = 'sent'
      order by t.email_id desc limit 300) a
    join lateral (
      select t.type, greatest(t.created_at, coalesce(t.scheduled_at, t.created_at)) as since
      from postrider.emails t where t.id = a.email_id and t.sensitive
    ) e on e.type is not null and a.settled_at - e.since > $1::float8 * interval '1 second'
  ) x
  group by x.type having sum(x.expired) >= 3 or sum(x.late) >= 3
  order by x.type limit 20`;

export const WEBHOOK_FAILING = `
  select w.id, w.tenant, extract(epoch from clock_timestamp() - w.failing_since)::float8 as failing
  from postrider.webhook_endpoints w
  where w.failing_since < clock_timestamp() - $1::float8 * interval '1 second' and w.disabled_at is null
  order by w.failing_since limit 20`;

export const SCHEDULE_STUCK = `
  select x.schedule, max(x.state) as state, max(x.error) as error from (
    (select r.schedule, r.state, r.last_error as error from postrider.schedule_runs r
     where r.state = 'running' and r.failures >= 3 limit 100)
    union all
    (select r.schedule, r.state, r.last_error from postrider.schedule_runs r
     where r.id >= postrider.id_floor(clock_timestamp() - interval '1 day') and r.state = 'failed' limit 100)
  ) x group by x.schedule order by x.schedule limit 20`;
