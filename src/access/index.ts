export { ACCESS_INPUTS } from './access-inputs.js';
export type { Admin } from './admins.js';
export type { ApiKey } from './api-keys.js';
export { type Actor, type AuditEntry, type AuditPage, type AuditRecord, actorOf } from './audit-log.js';
export {
  ADMIN_ROLES,
  type AdminCaller,
  type AdminRole,
  type Caller,
  companyOf,
  type KeyCaller,
  type KeyPermission,
} from './caller.js';
export { confineEmail } from './confine-email.js';
export { type Access, createAccess } from './create-access.js';
export { createDomains, type Domain, type Domains } from './domains.js';
export { forgetContacts } from './notice-recipients.js';
export { resolveTxt } from './resolve-txt.js';
export { createSecretRing, type SecretRing } from './secret-ring.js';
export type { Secrets } from './secrets.js';
export { createSenderRules, type SenderRefusal, type SenderRules, type SentBy } from './sender-rules.js';
export type { OpenedSession, Place, SignIn, SignInCode } from './sign-in.js';
export { networkOf } from './sign-in-limits.js';
export { createTenantRegions, type TenantRegions } from './tenant-regions.js';
export type { Tenant } from './tenants.js';
export { signUserToken, type UserClaim, userTokenKeys } from './user-token.js';
