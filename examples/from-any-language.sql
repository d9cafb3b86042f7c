-- Any language that speaks SQL enqueues in its own transaction. What can never be sent is an error here; the worker checks the rest.
-- Run it with psql on a database that `postrider migrate` has prepared.
begin;

create table if not exists signups (email text primary key);
insert into signups (email) values ('ada@example.com') on conflict do nothing;

select postrider.accept_v1(
  to_address => 'ada@example.com',
  subject => 'Welcome',
  html => '<p>Good to have you.</p>',
  text_body => 'Good to have you.',
  from_address => 'hello@example.com',
  company_id => 'acme',
  type => 'welcome'
);

commit;
