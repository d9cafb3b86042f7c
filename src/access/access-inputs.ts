import { ADMIN_CHANGE, NEW_ADMIN } from './admins.js';
import { KEY_PAGE, NEW_KEY } from './api-keys.js';
import { AUDIT_PAGE } from './audit-log.js';
import { CODE, CREDENTIALS } from './sign-in.js';
import { NEW_TENANT, TENANT_CHANGE, TENANT_PAGE } from './tenants.js';

/** The schemas this room reads its input with, for whoever describes the API: what is described is what is checked. */
export const ACCESS_INPUTS = {
  newTenant: NEW_TENANT,
  tenantChange: TENANT_CHANGE,
  tenantPage: TENANT_PAGE,
  newKey: NEW_KEY,
  keyPage: KEY_PAGE,
  newAdmin: NEW_ADMIN,
  adminChange: ADMIN_CHANGE,
  credentials: CREDENTIALS,
  code: CODE,
  auditPage: AUDIT_PAGE,
} as const;
