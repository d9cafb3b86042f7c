-- accept_v1 refuses content that no email is made of: html and text_body without a visible character, and control
-- characters in them. Both were accepted, and then failed by the worker.
-- oldest-code: 1

-- As JavaScript's \s, whatever the locale of the database. Most texts are decided by their first characters.
create function postrider.is_blank(given text) returns boolean
language sql immutable parallel safe
as $$
  select left(given, 100) !~ E'[^\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]'
    and given !~ E'[^\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]'
$$;

-- C0 and DEL but not the white space among them, which a body may not hold.
create function postrider.has_unprintable_character(given text) returns boolean
language sql immutable parallel safe
as $$ select given ~ E'[\\u0001-\\u0008\\u000e-\\u001f\\u007f]' $$;

revoke all on function postrider.is_blank, postrider.has_unprintable_character from public;

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
set search_path = pg_catalog, pg_temp
as $$
declare
  new_email uuid := postrider.new_id();
  tenant text := coalesce(company_id, 'default');
  -- where the named route is not known, or serves others, one is chosen when the email is sent
  via text := 'default';
  expiry timestamptz := nullif(expires_at, 'infinity');
  waits boolean := scheduled_at is not null and scheduled_at > now();
  given_headers jsonb := nullif(headers, '{}');
  given_metadata jsonb := coalesce(metadata, '{}');
  mailbox_to jsonb;
  mailbox_from jsonb;
  mailbox_reply jsonb;
  declared record;
begin
  if to_address is null or subject is null or coalesce(html, text_body) is null then
    raise exception 'accept_v1 needs to_address, subject, and html or text_body' using errcode = '22004';
  end if;
  if octet_length(tenant) > 128 or tenant !~ '^[A-Za-z0-9._:-]+$' then
    raise exception 'company_id must be 1 to 128 letters, digits, dots, colons, hyphens or underscores' using errcode = '22023';
  end if;
  if request_id is not null and (octet_length(request_id) > 128 or request_id !~ '^[A-Za-z0-9._:-]+$') then
    raise exception 'request_id must be 1 to 128 letters, digits, dots, underscores, colons or hyphens' using errcode = '22023';
  end if;
  if type is not null and (octet_length(type) > 64 or type !~ '^[A-Za-z][A-Za-z0-9_.-]*$') then
    raise exception 'type must be a letter and up to 63 letters, digits, dots, hyphens or underscores' using errcode = '22023';
  end if;
  if user_id is not null
    and (user_id = '' or octet_length(user_id) > 512 or postrider.utf16_length(user_id) > 128 or postrider.has_control_character(user_id)) then
    raise exception 'user_id must have 1 to 128 characters and no control character' using errcode = '22023';
  end if;
  if route is not null and route <> 'default' then
    if octet_length(route) > 64 or route !~ '^[A-Za-z0-9][A-Za-z0-9._-]*$' then
      raise exception 'route must be the name of a route: letters, digits, dots, hyphens or underscores' using errcode = '22023';
    end if;
    if exists (
      select 1 from postrider.routes r where r.name = route
        and (r.companies is null or r.companies ? tenant) and (r.types is null or r.types ? type)
    ) then
      via := route;
    end if;
  end if;
  if priority is null or priority not between 1 and 4 then
    raise exception 'priority must be 1 to 4' using errcode = '22023';
  end if;
  if delivery is null or delivery not in ('at-least-once', 'at-most-once') then
    raise exception 'delivery must be at-least-once or at-most-once' using errcode = '22023';
  end if;
  if retry is not null and retry not in ('gateway', 'outbox', 'system', 'broker', 'bus') then
    raise exception 'retry must be one of gateway, outbox, system, broker, bus' using errcode = '22023';
  end if;
  if max_attempts is null or max_attempts not between 1 and 100 then
    raise exception 'max_attempts must be 1 to 100' using errcode = '22023';
  end if;
  if scheduled_at not between '1970-01-01 00:00:00+00' and '9999-12-31 00:00:00+00' then
    raise exception 'scheduled_at must be between the years 1970 and 9999' using errcode = '22023';
  end if;
  if scheduled_at > now() + interval '8784 hours' then
    raise exception 'scheduled_at is more than a year ahead' using errcode = '22023';
  end if;
  if expiry not between '1970-01-01 00:00:00+00' and '9999-12-31 00:00:00+00' then
    raise exception 'expires_at must be between the years 1970 and 9999, or infinity' using errcode = '22023';
  end if;
  if expiry <= greatest(now(), scheduled_at) then
    raise exception 'expires_at must be later than now and than scheduled_at' using errcode = '22023';
  end if;
  if octet_length(subject) > 150 and char_length(subject) > 150 then
    raise exception 'subject is longer than 150 characters' using errcode = '22023';
  end if;
  if postrider.is_blank(subject) then
    raise exception 'subject is empty' using errcode = '22023';
  end if;
  if postrider.has_control_character(subject) then
    raise exception 'subject contains a control character' using errcode = '22023';
  end if;
  if octet_length(html) > 524288 then
    raise exception 'html is larger than 512 KB' using errcode = '22023';
  end if;
  if octet_length(text_body) > 524288 then
    raise exception 'text_body is larger than 512 KB' using errcode = '22023';
  end if;
  if postrider.has_unprintable_character(html) then
    raise exception 'html contains a control character' using errcode = '22023';
  end if;
  if postrider.has_unprintable_character(text_body) then
    raise exception 'text_body contains a control character' using errcode = '22023';
  end if;
  if postrider.is_blank(coalesce(html, '')) and postrider.is_blank(coalesce(text_body, '')) then
    raise exception 'html and text_body are both empty' using errcode = '22023';
  end if;
  mailbox_to := postrider.parse_mailbox('to_address', to_address);
  if from_address is not null then
    mailbox_from := postrider.parse_mailbox('from_address', from_address);
  end if;
  if reply_to is not null then
    mailbox_reply := postrider.parse_mailbox('reply_to', reply_to);
  end if;
  if given_headers is not null then
    perform postrider.check_headers(given_headers);
  end if;
  if given_metadata <> '{}' then
    perform postrider.check_metadata(given_metadata);
  end if;
  perform postrider.refuse_sender(tenant, mailbox_from ->> 'address');
  select d.category, d.essential, d.sensitive into declared
  from postrider.declared_types d where d.type = accept_v1.type;
  insert into postrider.emails (id, tenant, type, user_id, recipient_id, to_address, subject, message, metadata,
    priority, delivery, retry, max_attempts, route, request_id, scheduled_at, expires_at, sensitive)
  values (new_email, tenant, type, user_id, recipient_id, mailbox_to ->> 'address',
    -- that of a sensitive email stands with its body
    case when declared.sensitive then '(hidden)' else subject end,
    jsonb_strip_nulls(jsonb_build_object(
      'from', mailbox_from,
      'replyTo', case when mailbox_reply is not null then jsonb_build_array(mailbox_reply) end,
      'to', jsonb_build_array(mailbox_to),
      'headers', given_headers,
      'category', declared.category,
      'essential', nullif(declared.essential, false))),
    given_metadata, priority, delivery, coalesce(retry, 'gateway'), max_attempts,
    via, coalesce(request_id, new_email::text), scheduled_at, expiry, coalesce(declared.sensitive, false));
  if declared.sensitive then
    insert into postrider.email_bodies (email_id, html, text, subject)
    values (new_email, coalesce(html, ''), coalesce(text_body, ''), subject);
  else
    insert into postrider.email_bodies (email_id, html, text)
    values (new_email, coalesce(html, ''), coalesce(text_body, ''));
  end if;
  insert into postrider.email_queue (id, due_at, expires_at, bytes, max_attempts, priority, ready, scheduled, at_most_once, route, tenant)
  values (new_email, case when waits then scheduled_at end, expiry,
    octet_length(coalesce(html, '')) + octet_length(coalesce(text_body, '')),
    max_attempts, priority, not waits, waits, delivery = 'at-most-once', via, tenant);
  return new_email;
end $$;
