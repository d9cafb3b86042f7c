-- What all processes share about a route: its circuit, and the tokens of its rates.
-- oldest-code: 1

create table postrider.routes (
  name text collate "C" primary key,
  provider text not null,
  rate_per_second double precision,
  state text not null default 'closed' check (state in ('closed', 'open', 'probing')),
  -- raised by every transition; one made on another version changes nothing
  version integer not null default 0,
  -- when an open circuit may be probed, or a probe counts as lost
  open_until timestamptz not null default clock_timestamp(),
  -- openings with no long good time between them
  openings integer not null default 0,
  reason text,
  changed_at timestamptz not null default clock_timestamp(),
  -- when a worker last started with this route
  started_at timestamptz not null default clock_timestamp()
);

-- A bucket per limited route (domain '') and per limited recipient domain of a route.
create table postrider.route_rates (
  route text collate "C" not null,
  domain text collate "C" not null,
  tokens double precision not null,
  -- given out by the last statement: what it returns
  granted integer not null,
  refilled_at timestamptz not null,
  primary key (route, domain)
) with (fillfactor = 50, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0);
