-- Check-ins are found by their age, and each schedule says how long its marks are needed.
-- oldest-code: 1

create index recipient_check_ins_age on postrider.recipient_check_ins (day, recipient_id);

-- Nobody is written to again within so many days; null: not known, its marks are kept.
alter table postrider.schedules add column not_again_days integer;
