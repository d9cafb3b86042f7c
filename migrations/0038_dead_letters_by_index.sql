-- Dead letters of one company are found without reading each of them.
-- oldest-code: 1

-- Which attempt it was stands beside it, so that those of others are passed over in the index. What is sent pays nothing.
create index email_attempts_not_sent on postrider.email_attempts (status, email_id) include (attempt)
  where final and status <> 'sent';
drop index postrider.email_attempts_unsent;
create index email_attempts_to_answer on postrider.email_attempts (email_id) include (attempt, status)
  where final and status in ('failed', 'unknown');
drop index postrider.email_attempts_dead;
