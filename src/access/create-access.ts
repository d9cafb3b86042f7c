import type { Clock, Logger } from '../kernel/index.js';
import { PostriderError } from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';
import { type Admin, changeAdmin, createAdmin, listAdmins } from './admins.js';
import {
  type ApiKey,
  createApiKey,
  type KeyPage,
  listApiKeys,
  listLivingKeys,
  renameApiKey,
  revokeApiKey,
} from './api-keys.js';
import { askTogether } from './ask-together.js';
import {
  type Actor,
  APPLICATION,
  type AuditEntry,
  type AuditPage,
  audited,
  listAudit,
  writeAudit,
} from './audit-log.js';
import type { AdminCaller, KeyCaller } from './caller.js';
import { createKeyLookup } from './key-lookup.js';
import { noticeRecipients } from './notice-recipients.js';
import { createSecrets, type Secrets } from './secrets.js';
import { closeAllSessions, closeSession, findSession, type SessionTimes } from './sessions.js';
import { createSignIn, type SignIn, type SignInCode } from './sign-in.js';
import {
  changeTenant,
  createTenant,
  findDisabled,
  listTenants,
  type Tenant,
  type TenantPage,
} from './tenants.js';
import { readUserToken, signUserToken, type UserClaim } from './user-token.js';

/**
 * The room as one thing: who exists, who is asking, who did what. Every change is in the audit log by the time the
 * call returns; `by` says whose act it was.
 */
export interface Access {
  tenants: {
    create(input: unknown, by?: Actor): Promise<Tenant>;
    change(companyId: string, input: unknown, by?: Actor): Promise<Tenant>;
    /** `{ limit?, cursor?, startsWith? }`. */
    list(page?: unknown): Promise<TenantPage>;
    /** False for one that is not listed. */
    isDisabled(companyId: string): Promise<boolean>;
  };
  keys: {
    /** The only time the token is seen. */
    create(input: unknown, by?: Actor): Promise<ApiKey & { token: string }>;
    rename(key: { id: string; companyId: string }, name: unknown, by?: Actor): Promise<ApiKey>;
    revoke(id: string, by?: Actor): Promise<ApiKey>;
    /** `{ companyId?, limit?, cursor? }`. */
    list(page?: unknown): Promise<KeyPage>;
    /** Those of a company that were not revoked. */
    living(companyId: string): Promise<ApiKey[]>;
    find(token: string): Promise<KeyCaller | null>;
  };
  admins: {
    create(input: unknown, by?: Actor): Promise<Admin>;
    change(who: string, input: unknown, by?: Actor): Promise<Admin>;
    list(): Promise<Admin[]>;
  };
  signIn: SignIn;
  sessions: {
    find(token: string): Promise<AdminCaller | null>;
    close(token: string, admin: AdminCaller, by: Actor): Promise<void>;
    /** One that a new sign-in has replaced. */
    forget(token: string): Promise<void>;
    closeAll(admin: AdminCaller, by: Actor): Promise<void>;
  };
  users: {
    sign(user: UserClaim): string;
    /** Null while their company is disabled. */
    find(token: string): Promise<{ userId: string; companyId: string } | null>;
  };
  /** What the database keeps without being able to read it. */
  secrets: Secrets;
  audit: {
    list(query: unknown): Promise<AuditPage>;
    /** For acts of other rooms; with a transaction of this store, in it. */
    write(by: Actor, entry: AuditEntry, tx?: Queryable): Promise<void>;
  };
  notices: {
    /** Addresses of those who can mend what befalls a company: its contact and the admins, so often an hour. */
    recipients(companyId: string, action: string, tx?: Queryable): Promise<string[]>;
  };
}

export interface AccessOptions {
  database: () => Promise<Database>;
  sendCode(code: SignInCode, tx: Queryable): Promise<void>;
  times: SessionTimes;
  /** The first signs, all are accepted. */
  userTokenKeys: readonly string[];
  /** The setting; without it nothing can be sealed. */
  secretKeys?: string | null;
  /** Those a tenant can be given. Defaults to none. */
  regions?: readonly string[];
  clock: Clock;
  logger: Logger;
}

export function createAccess(options: AccessOptions): Access {
  const { database, times, clock, logger } = options;
  const lookup = createKeyLookup({ database, clock, logger });
  const disabled = askTogether(
    async (companies) => findDisabled(await prompt(), companies),
    () => clock.monotonic(),
  );
  const prompt = async () => (await database()).prompt();
  const ground = async () => ({ database: await database(), regions: options.regions ?? [] });
  return {
    tenants: {
      create: async (input, by = APPLICATION) => createTenant(await ground(), input, by),
      change: async (companyId, input, by = APPLICATION) =>
        changeTenant(await ground(), companyId, input, by),
      list: async (page) => listTenants(await prompt(), page),
      isDisabled: async (companyId) => (await disabled(companyId)) ?? false,
    },
    keys: {
      create: async (input, by = APPLICATION) => createApiKey(await database(), input, by),
      rename: async (key, name, by = APPLICATION) => renameApiKey(await database(), key, name, by),
      revoke: async (id, by = APPLICATION) => revokeApiKey(await database(), id, by),
      list: async (page) => listApiKeys(await prompt(), page),
      living: async (companyId) => listLivingKeys(await prompt(), companyId),
      find: lookup.find,
    },
    admins: {
      create: async (input, by = APPLICATION) => createAdmin(await database(), input, by),
      change: async (who, input, by = APPLICATION) => changeAdmin(await database(), who, input, by),
      list: async () => listAdmins(await prompt()),
    },
    signIn: createSignIn({ database, sendCode: options.sendCode, times, logger }),
    sessions: {
      find: async (token) => findSession(await prompt(), token, times),
      close: async (token, admin, by) =>
        audited(await database(), by, async (tx) => {
          await closeSession(tx, token);
          return { result: undefined, entry: { action: 'session.close', target: admin.email } };
        }),
      forget: async (token) => closeSession(await prompt(), token),
      closeAll: async (admin, by) =>
        audited(await database(), by, async (tx) => {
          await closeAllSessions(tx, admin.adminId);
          return { result: undefined, entry: { action: 'session.close-all', target: admin.email } };
        }),
    },
    users: {
      sign(user) {
        const key = options.userTokenKeys[0];
        if (key === undefined)
          throw new PostriderError('NOT_CONFIGURED', 'Set POSTRIDER_USER_TOKEN_KEY to sign user tokens.', {
            field: 'POSTRIDER_USER_TOKEN_KEY',
          });
        return signUserToken(user, key, clock);
      },
      async find(token) {
        const user = readUserToken(token, options.userTokenKeys, clock);
        return user === null || (await disabled(user.companyId)) ? null : user;
      },
    },
    secrets: createSecrets(database, options.secretKeys ?? null),
    audit: {
      list: async (query) => listAudit(await prompt(), query),
      write: async (by, entry, tx) => writeAudit(tx ?? (await prompt()), by, entry),
    },
    notices: {
      recipients: async (companyId, action, tx) =>
        noticeRecipients(tx ?? (await prompt()), companyId, action),
    },
  };
}
