-- Where a tenant is told what befalls it and only people can mend, such as a webhook that was turned off.
-- oldest-code: 1

alter table postrider.tenants add column contact text;
