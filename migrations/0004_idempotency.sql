-- The first answer given for a caller's key.
-- oldest-code: 1

create table postrider.idempotency_keys (
  tenant text collate "C" not null,
  key text not null,
  fingerprint bytea not null,
  email_id uuid not null,
  answer jsonb not null,
  created_at timestamptz not null default now(),
  primary key (tenant, key)
);

create index idempotency_keys_age on postrider.idempotency_keys (created_at);
