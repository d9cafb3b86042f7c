-- What SQL hands in is held to the tenant's senders too: the same function, with two more refusals. And a place for
-- secrets, which the database keeps without being able to read them.
-- oldest-code: 1

create table postrider.sealed_secrets (
  name text collate "C" primary key,
  -- AES-256-GCM, with the id of its key in front
  sealed text not null,
  updated_at timestamptz not null default now()
);

-- Unlike send(), this door has no way to refuse but an error, as for everything else it refuses.
create function postrider.refuse_sender(company_id text, from_address text) returns void
language plpgsql stable
set search_path = pg_catalog
as $$
declare
  tenant record;
begin
  select t.disabled_at, t.from_domains into tenant from postrider.tenants t where t.id = company_id;
  if not found then
    return;
  end if;
  if tenant.disabled_at is not null then
    raise exception 'the tenant % is disabled', company_id using errcode = '42501';
  end if;
  -- without a sender of its own an email has the operator's default one, which is always allowed
  if from_address is not null and tenant.from_domains is not null
    and not lower(substring(from_address from '[^@]*$')) = any (tenant.from_domains) then
    raise exception '% may not send from this domain', company_id using errcode = '42501';
  end if;
end $$;

revoke all on function postrider.refuse_sender from public;

create or replace function postrider.accept_v1(
  to_address text,
  subject text,
  html text default null,
  text_body text default null,
  from_address text default null,
  company_id text default 'default',
  type text default null,
  priority integer default 3,
  scheduled_at timestamptz default null,
  expires_at timestamptz default null,
  headers jsonb default '{}',
  reply_to text default null,
  user_id text default null,
  recipient_id uuid default null,
  metadata jsonb default '{}',
  request_id text default null,
  delivery text default 'at-least-once',
  retry text default 'gateway',
  max_attempts integer default 5,
  route text default 'default'
) returns uuid
language plpgsql
security definer
set search_path = pg_catalog
as $$
declare
  new_email uuid := postrider.new_id();
  waits boolean := scheduled_at is not null and scheduled_at > now();
begin
  if to_address is null or subject is null or coalesce(html, text_body) is null then
    raise exception 'accept_v1 needs to_address, subject, and html or text_body' using errcode = '22004';
  end if;
  -- claims take tenants in turn, starting after the empty name
  if company_id = '' then
    raise exception 'company_id must not be empty' using errcode = '22023';
  end if;
  if priority is null or priority not between 1 and 4 then
    raise exception 'priority must be 1 to 4' using errcode = '22023';
  end if;
  if delivery is null or delivery not in ('at-least-once', 'at-most-once') then
    raise exception 'delivery must be at-least-once or at-most-once' using errcode = '22023';
  end if;
  if max_attempts is null or max_attempts not between 1 and 100 then
    raise exception 'max_attempts must be 1 to 100' using errcode = '22023';
  end if;
  perform postrider.refuse_sender(coalesce(company_id, 'default'), from_address);
  insert into postrider.emails (id, tenant, type, user_id, recipient_id, to_address, subject, message, metadata,
    priority, delivery, retry, max_attempts, route, request_id, scheduled_at, expires_at)
  values (new_email, coalesce(company_id, 'default'), type, user_id, recipient_id, to_address, subject,
    jsonb_strip_nulls(jsonb_build_object(
      'from', case when from_address is not null then jsonb_build_object('address', from_address) end,
      'replyTo', case when reply_to is not null then jsonb_build_array(jsonb_build_object('address', reply_to)) end,
      'to', jsonb_build_array(jsonb_build_object('address', to_address)),
      'headers', coalesce(headers, '{}'::jsonb))),
    coalesce(metadata, '{}'::jsonb), priority, delivery, coalesce(retry, 'gateway'), max_attempts,
    coalesce(route, 'default'), coalesce(request_id, new_email::text), scheduled_at, expires_at);
  insert into postrider.email_bodies (email_id, html, text)
  values (new_email, coalesce(html, ''), coalesce(text_body, ''));
  insert into postrider.email_queue (id, due_at, expires_at, bytes, max_attempts, priority, ready, scheduled, at_most_once, route, tenant)
  values (new_email, case when waits then scheduled_at end, expires_at,
    octet_length(coalesce(html, '')) + octet_length(coalesce(text_body, '')),
    max_attempts, priority, not waits, waits, delivery = 'at-most-once', coalesce(route, 'default'), coalesce(company_id, 'default'));
  return new_email;
end $$;
