-- The subject of a sensitive email is content: it stands with the body and leaves with it. What lists, logs, webhooks
-- and brokers read is the same for all of them.
-- oldest-code: 46

alter table postrider.email_bodies add column subject text;

update postrider.email_bodies b set subject = e.subject
from postrider.emails e where e.id = b.email_id and e.sensitive;
update postrider.emails set subject = '(hidden)' where sensitive;

alter table postrider.emails add constraint emails_hidden_subject check (not sensitive or subject = '(hidden)');
