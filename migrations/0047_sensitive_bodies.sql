-- The bodies of sensitive emails that ended without being sent are looked for every hour; those of others are many.
-- oldest-code: 46

create index email_bodies_sensitive on postrider.email_bodies (email_id) where subject is not null;
