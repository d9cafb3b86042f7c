import { createHash } from 'node:crypto';
import { PostriderError } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';

/**
 * One answer per (tenant, key) for 24 hours, decided inside the accepting transaction without ever
 * waiting in it: a second caller at the same moment is told so at once, not held until the first ends.
 */
export interface IdempotencyKey {
  tenant: string;
  key: string;
  fingerprint: Buffer;
}

/** The first answer when there is one; null when the caller is first and holds the key until commit. */
export async function findFirstAnswer<Answer>(tx: Queryable, key: IdempotencyKey): Promise<Answer | null> {
  const lock = await tx.query<{ mine: boolean }>(
    "select pg_try_advisory_xact_lock(hashtextextended('postrider.idempotency:' || $1 || ':' || $2, 7709)) as mine",
    [key.tenant, key.key],
  );
  if (!lock.rows[0]?.mine) {
    throw new PostriderError('IDEMPOTENCY_IN_PROGRESS', 'The same key is being accepted at this moment.', {
      field: 'Idempotency-Key',
      retryAfterSeconds: 1,
    });
  }
  // As text: how jsonb is read on the caller's connection is the caller's choice.
  const { rows } = await tx.query<{ same: boolean; answer: string }>(
    `select fingerprint = decode($3, 'hex') as same, answer::text as answer from postrider.idempotency_keys
     where tenant = $1 and key = $2 and created_at > now() - interval '24 hours'`,
    [key.tenant, key.key, key.fingerprint.toString('hex')],
  );
  const first = rows[0];
  if (!first) return null;
  if (!first.same) {
    throw new PostriderError('IDEMPOTENCY_CONFLICT', 'This key was used for another body.', {
      field: 'Idempotency-Key',
    });
  }
  return JSON.parse(first.answer) as Answer;
}

export async function rememberAnswer(
  tx: Queryable,
  key: IdempotencyKey,
  emailId: string,
  answer: object,
): Promise<void> {
  await tx.query(
    `insert into postrider.idempotency_keys (tenant, key, fingerprint, email_id, answer)
     values ($1, $2, decode($3, 'hex'), $4, $5::text::jsonb)
     on conflict (tenant, key) do update
     set fingerprint = excluded.fingerprint, email_id = excluded.email_id, answer = excluded.answer, created_at = now()`,
    [key.tenant, key.key, key.fingerprint.toString('hex'), emailId, JSON.stringify(answer)],
  );
}

/** The same for equal bodies, whatever the order of their keys; null for what is no JSON: a circle, a bigint. */
export function fingerprint(body: unknown): Buffer | null {
  try {
    return createHash('sha256')
      .update(JSON.stringify(sorted(body)))
      .digest();
  } catch {
    return null;
  }
}

export async function forgetOldKeys(database: Queryable): Promise<number> {
  const { rowCount } = await database.query(
    "delete from postrider.idempotency_keys where created_at < now() - interval '24 hours' returning key",
  );
  return rowCount;
}

/** Of one person: the keys of their emails, or those that name them. */
export async function forgetKeysOf(
  database: Queryable,
  which: { emailIds: readonly string[] } | { tenant: string | null; pattern: string },
): Promise<number> {
  const { rowCount } =
    'emailIds' in which
      ? await database.query(
          'delete from postrider.idempotency_keys where email_id = any ($1::uuid[]) returning key',
          [which.emailIds],
        )
      : await database.query(
          `delete from postrider.idempotency_keys
           where ($1::text is null or tenant = $1) and (key ~* $2 or answer::text ~* $2) returning key`,
          [which.tenant, which.pattern],
        );
  return rowCount;
}

function sorted(value: unknown): unknown {
  if (typeof value === 'string' && value.length > LONG) return `\0sha256:${digestOf(value)}`;
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

/** A file as JSON would be in memory once more, and once more to be hashed. No text that is accepted begins with NUL. */
const LONG = 64 * 1024;

function digestOf(text: string): string {
  const hash = createHash('sha256');
  for (let at = 0; at < text.length; ) {
    const end = at + LONG + (isHighSurrogate(text, at + LONG - 1) ? 1 : 0);
    hash.update(text.slice(at, end));
    at = end;
  }
  return hash.digest('hex');
}

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
}
