-- Which store this is: what other systems hold for it, such as the bells in a broker, bears its id.
-- oldest-code: 1

create table postrider.store_identity (
  one boolean primary key default true check (one),
  id uuid not null default gen_random_uuid()
);

insert into postrider.store_identity default values;
