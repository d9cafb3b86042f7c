-- accept_v1 refuses what can never be sent or shown, and reads what a type declares. The limits are those of send():
-- test/journey/accept-v1-rules.test.ts holds the two together.
-- oldest-code: 1

-- The only companies and types a route serves, as lists; null: all. Written by each worker that starts.
alter table postrider.routes add column companies jsonb, add column types jsonb;

-- As JavaScript counts, which the limits of send() are in.
create function postrider.utf16_length(given text) returns integer
language sql immutable parallel safe
as $$
  select char_length(given) + case when octet_length(given) = char_length(given) then 0
    else char_length(regexp_replace(given, E'[^\\U00010000-\\U0010ffff]+', '', 'g')) end
$$;

-- C0, DEL, C1, the two Unicode line breaks, and the bidirectional overrides and isolates.
create function postrider.has_control_character(given text) returns boolean
language sql immutable parallel safe
as $$ select given ~ E'[\\u0001-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]' $$;

-- `ada@example.com` or `Ada <ada@example.com>`, taken apart. The shape is looked at; the worker checks the rest.
create function postrider.parse_mailbox(argument text, given text) returns jsonb
language plpgsql immutable
as $$
declare
  address text := given;
  name text := '';
  opening integer;
begin
  -- what nearly every address looks like
  if octet_length(given) <= 64 and given ~ E'^[a-z0-9_+-]+(?:\\.[a-z0-9_+-]+)*@(?:[a-z0-9-]+\\.)+[a-z]{2,20}$' then
    return jsonb_build_object('address', given);
  end if;
  if octet_length(given) > 3072 or postrider.utf16_length(given) > 1024 then
    raise exception '% is too long for an address', argument using errcode = '22023';
  end if;
  if postrider.has_control_character(given) then
    raise exception '% contains a control character', argument using errcode = '22023';
  end if;
  if right(given, 1) = '>' then
    opening := char_length(given) - position('<' in reverse(given)) + 1;
    if position('<' in given) = 0 then
      raise exception '% has a > without a <', argument using errcode = '22023';
    end if;
    address := substr(given, opening + 1, char_length(given) - opening - 1);
    name := btrim(left(given, opening - 1));
    if char_length(name) > 1 and name ~ '^".*"$' then
      name := substr(name, 2, char_length(name) - 2);
      if name !~ E'^(?:[^"\\\\]|\\\\.)*$' then
        raise exception '% has a name with a stray quote or backslash', argument using errcode = '22023';
      end if;
      name := regexp_replace(name, E'\\\\(.)', E'\\1', 'g');
    elsif name ~ E'[<>",;\\\\]' then
      raise exception '% must be one address; put a name with < > " , or ; in quotes', argument using errcode = '22023';
    end if;
    if postrider.utf16_length(name) > 256 then
      raise exception '% has a name of more than 256 characters', argument using errcode = '22023';
    end if;
  end if;
  if octet_length(address) > 254 or octet_length(split_part(address, '@', 1)) > 64
    or address !~ E'^[^\\s"(),:;<>@\\[\\]\\\\.]+(?:\\.[^\\s"(),:;<>@\\[\\]\\\\.]+)*@(?:[^\\s"(),:;<>@\\[\\]\\\\.]+\\.)+[^\\s"(),:;<>@\\[\\]\\\\.0-9][^\\s"(),:;<>@\\[\\]\\\\.]+$' then
    raise exception '% must be one address, such as ada@example.com or Ada <ada@example.com>', argument using errcode = '22023';
  end if;
  return case when btrim(name) = '' then jsonb_build_object('address', address)
    else jsonb_build_object('address', address, 'name', name) end;
end $$;

create function postrider.check_headers(given jsonb) returns void
language plpgsql immutable
as $$
declare
  name text;
  value jsonb;
  said text;
  lower_name text;
  seen text[] := '{}';
  bytes integer := 0;
  problem text;
begin
  if jsonb_typeof(given) <> 'object' then
    raise exception 'headers must be an object of names and values' using errcode = '22023';
  end if;
  for name, value in select h.key, h.value from jsonb_each(given) h limit 51 loop
    lower_name := lower(name collate "C");
    -- a number of some bytes may have 130,000 digits as text
    said := case when jsonb_typeof(value) = 'string' then value #>> '{}' end;
    problem := case
      when cardinality(seen) = 50 then 'headers has more than 50 headers'
      when char_length(name) > 64 then 'headers has a name of more than 64 characters'
      when lower_name !~ '^[a-z][a-z0-9-]*$' then format('headers.%s is not a header name', regexp_replace(name, '[^!-~]', '?', 'g'))
      when lower_name in ('from', 'sender', 'to', 'cc', 'bcc', 'reply-to', 'subject', 'date', 'message-id', 'mime-version',
          'received', 'return-path', 'delivered-to', 'dkim-signature', 'domainkey-signature', 'authentication-results', 'received-spf')
        or lower_name ^@ any (array['content-', 'arc-', 'resent-', 'x-postrider-'])
        then format('headers.%s is written by Postrider or by the servers, and cannot be set here', name)
      when lower_name = any (seen) then format('headers.%s is given twice', name)
      when jsonb_typeof(value) <> 'string' then format('headers.%s must be a string', name)
      when octet_length(said) > 6000 or postrider.utf16_length(said) > 2000 then format('headers.%s is longer than 2000 characters', name)
      when postrider.has_control_character(said) then format('headers.%s contains a control character', name)
      -- only what is ASCII is written as it is; other letters are encoded, and the worker knows where they may stand
      when octet_length(said) > 900 and octet_length(said) = char_length(said)
        and exists (select 1 from unnest(string_to_array(said, ' ')) word where octet_length(word) > 900)
        then format('headers.%s has a word of more than 900 characters, which fits on no line', name)
      when bytes + octet_length(name) + octet_length(said) > 32768 then 'headers are more than 32 KB in all'
    end;
    if problem is not null then
      raise exception '%', problem using errcode = '22023';
    end if;
    seen := seen || lower_name;
    bytes := bytes + octet_length(name) + octet_length(said);
  end loop;
end $$;

create function postrider.check_metadata(given jsonb) returns void
language plpgsql immutable
as $$
declare
  written text;
begin
  if jsonb_typeof(given) <> 'object' then
    raise exception 'metadata must be an object' using errcode = '22023';
  end if;
  if jsonb_path_exists(given, 'strict $.**{5} ? (@.type() == "object" || @.type() == "array")') then
    raise exception 'metadata is nested more than 5 levels deep' using errcode = '22023';
  end if;
  -- stored in some bytes, such a number is written in up to 130,000 digits
  if jsonb_path_exists(given, 'strict $.** ? (@.type() == "number"
      && (@ > 1e308 || @ < -1e308 || (@ != 0 && @ < 1e-308 && @ > -1e-308)))') then
    raise exception 'metadata has a number that is too large or too small' using errcode = '22023';
  end if;
  -- what is stored in more than this is more than 8 KB of JSON, whatever is in it
  if pg_column_size(given) <= 65536 then
    written := given::text;
  end if;
  -- PostgreSQL writes a space after each colon and comma, JSON.stringify none
  if octet_length(written) > 8192 and octet_length(written) <= 16384 then
    written := regexp_replace(written, E'("(?:[^"\\\\]|\\\\.)*")|([:,]) ', E'\\1\\2', 'g');
  end if;
  if written is null or octet_length(written) > 8192 then
    raise exception 'metadata is larger than 8 KB' using errcode = '22023';
  end if;
  if written ~ '[{ ,]"(?:__proto__|constructor|prototype)":' then
    raise exception 'metadata has a key that is not allowed: __proto__, constructor or prototype' using errcode = '22023';
  end if;
end $$;

revoke all on function postrider.utf16_length, postrider.has_control_character, postrider.parse_mailbox,
  postrider.check_headers, postrider.check_metadata from public;

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
  if subject !~ E'[^\\s\\u00a0\\ufeff]' then
    raise exception 'subject is empty' using errcode = '22023';
  end if;
  if octet_length(subject) > 150 and char_length(subject) > 150 then
    raise exception 'subject is longer than 150 characters' using errcode = '22023';
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
