import {
  type Access,
  createAccess,
  createSenderRules,
  type SenderRules,
  userTokenKeys,
} from './access/index.js';
import type { Config } from './config.js';
import { type Clock, isPostriderError, type Logger } from './kernel/index.js';
import type { Database, Queryable } from './store/index.js';

/** Who may do what, put together for one process; the codes of operators leave as emails of Postrider's own. */
export interface AccessParts {
  database: () => Promise<Database>;
  /** Accepts an email in the transaction at hand. */
  send(email: object, tx: Queryable): Promise<unknown>;
  /** Told every code besides; development only. */
  onCode?: ((code: { to: string; code: string }) => void) | undefined;
  clock: Clock;
  logger: Logger;
}

export function assembleAccess(config: Config, parts: AccessParts): Access {
  const { database, send, onCode, clock, logger } = parts;
  return createAccess({
    database,
    times: { idleMs: config.access.sessionIdleMs, maxMs: config.access.sessionMaxMs },
    userTokenKeys: userTokenKeys(config.access.userTokenKey),
    secretKeys: config.access.secretKeys,
    regions: config.regions
      ? Object.keys(config.regions)
      : config.database.region
        ? [config.database.region]
        : [],
    clock,
    logger,
    async sendCode({ to, name, code, expiresInMinutes, requestedFrom }, tx) {
      const data = { name, code, expiresInMinutes, ...(requestedFrom !== null && { requestedFrom }) };
      onCode?.({ to, code });
      try {
        await send({ type: 'admin_tfa', to, data }, tx);
      } catch (error) {
        // No sender yet, or one that is refused: the sign-in waits for `postrider admin code`.
        if (!isPostriderError(error) || error.status >= 500) throw error;
        logger.warn({ code: error.code, field: error.field }, 'the sign-in code could not be sent');
      }
    },
  });
}

export function assembleSenderRules(
  config: Config,
  parts: { database: Database; clock: Clock; logger: Logger; home?: HomeRegion | null },
): SenderRules {
  const { home, ...own } = parts;
  const strict = config.access.strictSenders;
  if (!home) return createSenderRules({ ...own, strict });
  let rules: SenderRules | null = null;
  return {
    async judge(_tx, emails) {
      const database = await home.database();
      rules ??= createSenderRules({ ...own, database, strict });
      // On the store of the tenants, which the transaction at hand is not on.
      return rules.judge(database, emails);
    },
  };
}

/** Where the tenants, the keys and the operators of all regions are. */
export interface HomeRegion {
  access: Access;
  database(): Promise<Database>;
}

/** The access of the home region, but for secrets: whoever sends a region's webhooks must be able to read them there. */
export function accessFrom(home: HomeRegion | null | undefined, own: Access): Access {
  return home ? { ...home.access, secrets: own.secrets } : own;
}
