-- Dead letters can be tried again or set aside, and lists find their pages by index.
-- oldest-code: 1

alter type postrider.event_type add value if not exists 'DISCARDED';

-- attempts made before a person asked for another round: waits and limits count from there
alter table postrider.email_queue add column earlier_attempts smallint not null default 0;

create index email_attempts_dead on postrider.email_attempts (email_id) where final and status in ('failed', 'unknown');
create index email_facts_ended on postrider.email_facts (final_status, email_id) where final_status is not null;
create index emails_type on postrider.emails (type, id);
