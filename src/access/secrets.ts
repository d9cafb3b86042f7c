import { killPoint, PostriderError } from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';
import { type Actor, APPLICATION, audited } from './audit-log.js';
import { createSecretRing, type SecretRing } from './secret-ring.js';

/**
 * Secrets in the database by name, sealed: a copy of the database alone tells nothing. Without POSTRIDER_SECRET_KEYS
 * nothing is kept, rather than kept in the clear.
 */
export interface Secrets {
  /** In the caller's transaction when one is given. */
  put(name: string, secret: string, tx?: Queryable): Promise<void>;
  get(name: string): Promise<string | null>;
  remove(name: string): Promise<void>;
  /** Seals again what older keys have sealed, row by row, so that it can be stopped and begun anew. */
  rotate(by?: Actor): Promise<{ resealed: number; total: number }>;
}

export function createSecrets(database: () => Promise<Database>, keys: string | null): Secrets {
  const ring = createSecretRing(keys);
  const needed = (): SecretRing => {
    if (ring) return ring;
    throw new PostriderError(
      'NOT_CONFIGURED',
      'Set POSTRIDER_SECRET_KEYS: without it no secret is kept, and a webhook needs one. It is `id:key`, the key 32 bytes in base64, such as `openssl rand -base64 32` prints.',
      { field: 'POSTRIDER_SECRET_KEYS' },
    );
  };
  const prompt = async () => (await database()).prompt();
  return {
    async put(name, secret, tx) {
      await (tx ?? (await prompt())).query(PUT, [name, needed().seal(secret, name)]);
    },
    async get(name) {
      const { rows } = await (await prompt()).query<{ sealed: string }>(
        'select sealed from postrider.sealed_secrets where name = $1',
        [name],
      );
      return rows[0] ? needed().open(rows[0].sealed, name) : null;
    },
    async remove(name) {
      await (await prompt()).query('delete from postrider.sealed_secrets where name = $1', [name]);
    },
    async rotate(by = APPLICATION) {
      const held = needed();
      const store = await prompt();
      const { rows } = await store.query<{ name: string; sealed: string }>(
        'select name, sealed from postrider.sealed_secrets order by name',
      );
      const old = rows.filter(({ sealed }) => !held.isNewest(sealed));
      for (const { name, sealed } of old) {
        // One that was put anew meanwhile is left as it is.
        await store.query(
          'update postrider.sealed_secrets set sealed = $3, updated_at = now() where name = $1 and sealed = $2',
          [name, sealed, held.seal(held.open(sealed, name), name)],
        );
        killPoint('access:resealed');
      }
      const report = { resealed: old.length, total: rows.length };
      return audited(store, by, async () => ({
        result: report,
        entry: { action: 'secrets.rotate', detail: report },
      }));
    },
  };
}

const PUT = `
  insert into postrider.sealed_secrets (name, sealed) values ($1, $2)
  on conflict (name) do update set sealed = excluded.sealed, updated_at = now()`;
