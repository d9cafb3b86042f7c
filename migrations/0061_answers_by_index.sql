-- Dead letters are counted without reading what happened to other emails: what answers one, and its error, are in an index.
-- oldest-code: 1

create index email_facts_answers on postrider.email_facts (email_id) where type in ('REQUEUED', 'DISCARDED');
create index email_attempts_dead_letters on postrider.email_attempts (email_id) include (attempt, status, error_code)
  where final and status in ('failed', 'unknown');
drop index postrider.email_attempts_to_answer;
