-- Quotas are looked at some at a time: the last that was.
-- oldest-code: 1

alter table postrider.alert_rounds
  add column quota_tenant text collate "C" not null default '',
  add column quota_period text collate "C" not null default '';
