import { type Clock, type Logger, messageOf } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import { TOKEN_PREFIX, tokenHash } from './api-keys.js';
import { askTogether } from './ask-together.js';
import type { KeyCaller, KeyPermission } from './caller.js';

/**
 * Whose key a token is, asked at every request, so that a key that is revoked, or whose tenant is disabled, is
 * refused by every process at once; requests of the same moment share a statement. When a key was last used is
 * written behind the request, at most once a minute and key.
 */
export interface KeyLookup {
  /** Null when the token opens nothing. */
  find(token: string): Promise<KeyCaller | null>;
}

export interface KeyLookupOptions {
  database: () => Promise<Database>;
  clock: Clock;
  logger: Logger;
}

export function createKeyLookup({ database, clock, logger }: KeyLookupOptions): KeyLookup {
  const noted = new Map<string, number>();

  const lookUp = askTogether(
    async (hashes) => {
      const { rows } = await (await database()).prompt().query<KeyCallerRow>(FIND, [hashes]);
      return new Map(rows.map((row) => [row.token_hash, callerOf(row)]));
    },
    () => clock.monotonic(),
  );

  function note(keyId: string): void {
    const now = clock.monotonic();
    if (now - (noted.get(keyId) ?? Number.NEGATIVE_INFINITY) < NOTE_EVERY_MS) return;
    if (noted.size >= MAX_NOTED) noted.clear();
    noted.set(keyId, now);
    database()
      .then((store) => store.query(NOTE_USE, [keyId]))
      .catch((error: unknown) => {
        logger.debug({ keyId, err: messageOf(error) }, 'when a key was last used could not be written');
      });
  }

  return {
    async find(token) {
      if (!TOKEN.test(token)) return null;
      const caller = await lookUp(tokenHash(token));
      if (caller) note(caller.keyId);
      return caller;
    },
  };
}

function callerOf(row: KeyCallerRow): KeyCaller {
  return {
    kind: 'key',
    keyId: row.id,
    name: row.name,
    companyId: row.tenant,
    permission: row.permission,
    fromDomains: row.from_domains,
  };
}

const NOTE_EVERY_MS = 60_000;
const MAX_NOTED = 10_000;
const TOKEN = new RegExp(`^${TOKEN_PREFIX}[A-Za-z0-9_-]{43}$`);

interface KeyCallerRow {
  token_hash: string;
  id: string;
  name: string;
  tenant: string;
  permission: KeyPermission;
  from_domains: string[] | null;
}

const FIND = {
  name: 'access_find_keys',
  text: `
    select k.token_hash, k.id, k.name, k.tenant, k.permission, k.from_domains
    from postrider.api_keys k join postrider.tenants t on t.id = k.tenant
    where k.token_hash = any($1::text[]) and k.revoked_at is null and t.disabled_at is null`,
};

// Several processes share the minute.
const NOTE_USE = `
  update postrider.api_keys set last_used_at = clock_timestamp()
  where id = $1 and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')`;
