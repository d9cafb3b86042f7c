-- People who operate Postrider: accounts, the codes they sign in with, their sessions.
-- oldest-code: 1

create table postrider.admins (
  id uuid primary key default postrider.new_id(),
  email text not null,
  name text not null,
  role text not null check (role in ('admin', 'operator', 'viewer')),
  -- scrypt with its parameters and salt
  password_hash text not null,
  created_at timestamptz not null default now(),
  last_sign_in_at timestamptz,
  disabled_at timestamptz
);

create unique index admins_email on postrider.admins (lower(email));

-- A sign-in whose password was right and whose code is awaited.
create table postrider.admin_sign_ins (
  token_hash text collate "C" primary key,
  admin_id uuid not null references postrider.admins (id) on delete cascade,
  code_hash text not null,
  tries integer not null default 0,
  resends integer not null default 0,
  requested_from text,
  sent_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index admin_sign_ins_admin on postrider.admin_sign_ins (admin_id);

create table postrider.admin_sessions (
  token_hash text collate "C" primary key,
  admin_id uuid not null references postrider.admins (id) on delete cascade,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ip text
);

create index admin_sessions_admin on postrider.admin_sessions (admin_id);

-- How often something was tried in the window that ends then; keys are hashes or ids, never addresses.
create table postrider.sign_in_limits (
  key text collate "C" primary key,
  count integer not null,
  window_ends_at timestamptz not null
);
