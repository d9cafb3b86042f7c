-- What the processes on this store have declared of their types, for accept_v1, which knows no code.
-- oldest-code: 1

create table postrider.declared_types (
  type text collate "C" primary key,
  -- the preference by which people refuse it
  category text not null,
  -- sign-in and security: goes out whatever people have refused
  essential boolean not null,
  -- codes and links: the body is hidden from operators and removed once sent
  sensitive boolean not null,
  -- declared by an application; what is built in does not take its place
  own boolean not null,
  declared_at timestamptz not null default clock_timestamp()
);
