import { type Clock, type Logger, messageOf } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import { TOKEN_PREFIX, tokenHash } from './api-keys.js';
import type { KeyCaller, KeyPermission } from './caller.js';

/**
 * Whose key a token is. What was read is believed for 800 ms, so a key that is revoked, or whose tenant is disabled,
 * is refused by every process within a second, and by the one that revoked it at once. Refusals are not remembered.
 * When a key was last used is written behind the request, at most once a minute and key.
 */
export interface KeyLookup {
  /** Null when the token opens nothing. */
  find(token: string): Promise<KeyCaller | null>;
  forget(tokenHash: string): void;
  forgetAll(): void;
}

export interface KeyLookupOptions {
  database: () => Promise<Database>;
  clock: Clock;
  logger: Logger;
}

export function createKeyLookup({ database, clock, logger }: KeyLookupOptions): KeyLookup {
  const known = new Map<string, Known>();
  const asked = new Map<string, Promise<KeyCaller | null>>();
  const noted = new Map<string, number>();

  function lookUp(hash: string): Promise<KeyCaller | null> {
    const running = asked.get(hash);
    if (running) return running;
    // What changes while the question is under way may be missed, so its age counts from here.
    const at = clock.monotonic();
    const question = readKey(hash).then((caller) => {
      // One that was forgotten meanwhile must not come back.
      if (caller && asked.get(hash) === question) remember(hash, { caller, at });
      return caller;
    });
    asked.set(hash, question);
    const done = () => {
      if (asked.get(hash) === question) asked.delete(hash);
    };
    question.then(done, done);
    return question;
  }

  async function readKey(hash: string): Promise<KeyCaller | null> {
    const { rows } = await (await database()).prompt().query<KeyCallerRow>(FIND, [hash]);
    const row = rows[0];
    if (!row) return null;
    return {
      kind: 'key',
      keyId: row.id,
      name: row.name,
      companyId: row.tenant,
      permission: row.permission,
      fromDomains: row.from_domains,
    };
  }

  function remember(hash: string, entry: Known): void {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(hash, entry);
  }

  function note(keyId: string): void {
    const now = clock.monotonic();
    if (now - (noted.get(keyId) ?? Number.NEGATIVE_INFINITY) < NOTE_EVERY_MS) return;
    if (noted.size >= MAX_KNOWN) noted.clear();
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
      const hash = tokenHash(token);
      const entry = known.get(hash);
      const fresh = entry !== undefined && clock.monotonic() - entry.at < FRESH_MS;
      const caller = fresh ? entry.caller : await lookUp(hash);
      if (!caller) known.delete(hash);
      else note(caller.keyId);
      return caller;
    },
    forget(hash) {
      known.delete(hash);
      asked.delete(hash);
    },
    forgetAll() {
      known.clear();
      asked.clear();
    },
  };
}

interface Known {
  caller: KeyCaller;
  at: number;
}

const FRESH_MS = 800;
const NOTE_EVERY_MS = 60_000;
const MAX_KNOWN = 10_000;
const TOKEN = new RegExp(`^${TOKEN_PREFIX}[A-Za-z0-9_-]{43}$`);

interface KeyCallerRow {
  id: string;
  name: string;
  tenant: string;
  permission: KeyPermission;
  from_domains: string[] | null;
}

const FIND = {
  name: 'access_find_key',
  text: `
    select k.id, k.name, k.tenant, k.permission, k.from_domains
    from postrider.api_keys k join postrider.tenants t on t.id = k.tenant
    where k.token_hash = $1 and k.revoked_at is null and t.disabled_at is null`,
};

// Several processes share the minute.
const NOTE_USE = `
  update postrider.api_keys set last_used_at = clock_timestamp()
  where id = $1 and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')`;
