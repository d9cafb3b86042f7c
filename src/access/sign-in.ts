import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { isStorableText, killPoint, type Logger, PostriderError } from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';
import { findAdmin } from './admins.js';
import { tokenHash } from './api-keys.js';
import { type Actor, audited, writeAudit } from './audit-log.js';
import { checkPassword, MAX_LENGTH } from './passwords.js';
import { anyText, inputOf } from './read-input.js';
import { dropOldSessions, newToken, openSession, type SessionTimes } from './sessions.js';
import { countTry, dropOldTries, forgetTries, LIMITS, networkOf, refuseSpent } from './sign-in-limits.js';

/**
 * Signing in: the password, then a code of six digits that Postrider sends by itself, in the transaction that makes
 * it valid. A wrong password, an unknown address and a disabled account have the same answer after the same work. A
 * code holds ten minutes, opens one session, and dies with the fifth wrong try. Between the two steps the browser
 * holds a token that opens nothing but the second.
 */
export interface SignIn {
  begin(input: unknown, from: Place): Promise<{ token: string; expiresAt: string }>;
  finish(token: string, input: unknown, from: Place): Promise<OpenedSession>;
  resend(token: string): Promise<{ expiresAt: string }>;
  /** A fresh code for the newest sign-in of an account, for someone on the machine. */
  issueCode(who: string, by: Actor): Promise<{ code: string; expiresAt: string }>;
}

export interface Place {
  ip: string | null;
  /** Shown in the email: an address, a browser. */
  userAgent?: string;
  requestId?: string;
}

export interface OpenedSession {
  token: string;
  expiresAt: string;
  admin: { id: string; email: string; name: string; role: string };
}

export interface SignInCode {
  to: string;
  name: string;
  code: string;
  expiresInMinutes: number;
  requestedFrom: string | null;
}

export interface SignInOptions {
  database: () => Promise<Database>;
  /** Accepts the email in the transaction it is given. */
  sendCode(code: SignInCode, tx: Queryable): Promise<void>;
  times: SessionTimes;
  logger: Logger;
}

export function createSignIn({ database, sendCode, times, logger }: SignInOptions): SignIn {
  return {
    async begin(input, from) {
      const { email, password } = CREDENTIALS.read(input, '');
      const store = (await database()).prompt();
      const place = networkOf(from.ip);
      await countTry(store, LIMITS.place, place);
      await countTry(store, LIMITS.password, `${email.toLowerCase()} ${place}`);
      const { rows } = await store.query<AccountRow>(ACCOUNT, [email]);
      const right = await checkPassword(password, rows[0]?.password_hash ?? null);
      if (!right || !rows[0]) {
        logger.warn({ ip: from.ip, requestId: from.requestId }, 'sign-in refused');
        throw new PostriderError('SIGN_IN_FAILED', 'The address or the password is wrong.');
      }
      const account = rows[0];
      await forgetTries(store, LIMITS.password, `${email.toLowerCase()} ${place}`);
      await refuseSpent(store, LIMITS.code, account.id);
      await countTry(store, LIMITS.mail, account.id);
      const token = newToken();
      const code = newCode();
      const requestedFrom = placeOf(from);
      const expiresAt = await store.transaction(async (tx) => {
        const begun = await tx.query<{ expires_at: Date }>(BEGIN, [
          tokenHash(token),
          account.id,
          codeHash(token, code),
          requestedFrom,
          CODE_SECONDS,
        ]);
        killPoint('access:code-kept');
        await sendCode(emailOf(account, code, requestedFrom), tx);
        return begun.rows[0]!.expires_at;
      });
      return { token, expiresAt: new Date(expiresAt).toISOString() };
    },

    async finish(token, input, from) {
      const { code } = CODE.read(input, '');
      const store = (await database()).prompt();
      const { session, tried } = await store.transaction((tx) => tryCode(tx, { token, code, from }));
      if (session) {
        await dropOldSessions(store, times);
        await dropOldTries(store);
        return session;
      }
      if (tried) await countTry(store, LIMITS.code, tried.adminId);
      throw wrongCode();
    },

    async resend(token) {
      const store = (await database()).prompt();
      return store.transaction(async (tx) => {
        const { rows } = await tx.query<SignInRow>(LOCK, [tokenHash(token)]);
        const begun = rows[0];
        if (!begun) throw notBegun();
        if (begun.resends >= MAX_RESENDS)
          throw new PostriderError('TOO_MANY_TRIES', 'No more codes for this sign-in; begin again.');
        if (begun.wait > 0)
          throw new PostriderError('TOO_MANY_TRIES', 'A code was sent just now.', {
            retryAfterSeconds: begun.wait,
          });
        await countTry(tx, LIMITS.mail, begun.admin_id);
        const code = newCode();
        const renewed = await renew(tx, { hash: tokenHash(token), token, code, counted: true });
        await sendCode(emailOf(begun, code, begun.requested_from), tx);
        return { expiresAt: renewed };
      });
    },

    async issueCode(who, by) {
      const store = (await database()).prompt();
      const admin = await findAdmin(store, who);
      return audited(store, by, async (tx) => {
        const { rows } = await tx.query<{ token_hash: string }>(NEWEST, [admin.id]);
        if (!rows[0])
          throw new PostriderError('SIGN_IN_NOT_BEGUN', 'Enter the password first; then ask for the code.');
        const code = newCode();
        const hash = rows[0].token_hash;
        const expiresAt = await renew(tx, { hash, token: null, code, counted: false });
        await forgetTries(tx, LIMITS.code, admin.id);
        return { result: { code, expiresAt }, entry: { action: 'admin.code', target: admin.email } };
      });
    },
  };

  /** Counts the try and judges it under the row's lock, so that five at once are five. */
  async function tryCode(
    tx: Queryable,
    { token, code, from }: { token: string; code: string; from: Place },
  ): Promise<{ session: OpenedSession | null; tried: { adminId: string } | null }> {
    const { rows } = await tx.query<SignInRow>(TRY, [tokenHash(token)]);
    const begun = rows[0];
    if (!begun) return { session: null, tried: null };
    await refuseSpent(tx, LIMITS.code, begun.admin_id);
    if (!sameHash(begun.code_hash, codeHash(token, code)))
      return { session: null, tried: { adminId: begun.admin_id } };
    killPoint('access:code-right');
    // One code, one session: the row goes with it, and with it every other sign-in this account had begun.
    await tx.query('delete from postrider.admin_sign_ins where admin_id = $1', [begun.admin_id]);
    await tx.query('update postrider.admins set last_sign_in_at = now() where id = $1', [begun.admin_id]);
    const opened = await openSession(tx, begun.admin_id, { maxMs: times.maxMs, ip: from.ip });
    await writeAudit(
      tx,
      { kind: 'admin', id: begun.admin_id, name: begun.email, ip: from.ip, requestId: from.requestId },
      { action: 'session.open', target: begun.email },
    );
    const admin = { id: begun.admin_id, email: begun.email, name: begun.name, role: begun.role };
    return { session: { ...opened, admin }, tried: null };
  }
}

/** A code that was replaced is worth nothing; the tries of the sign-in go on being counted. */
async function renew(
  tx: Queryable,
  { hash, token, code, counted }: { hash: string; token: string | null; code: string; counted: boolean },
): Promise<string> {
  const { rows } = await tx.query<{ expires_at: Date }>(RENEW, [
    hash,
    token === null ? codeHashOf(hash, code) : codeHash(token, code),
    CODE_SECONDS,
    counted ? 1 : 0,
  ]);
  return new Date(rows[0]!.expires_at).toISOString();
}

function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}

/** Bound to its sign-in: the code is of no use without the token, which the database does not have. */
function codeHash(token: string, code: string): string {
  return codeHashOf(tokenHash(token), code);
}

function codeHashOf(hash: string, code: string): string {
  return createHash('sha256').update(`${hash}:${code}`).digest('hex');
}

function sameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

function emailOf(
  account: { email: string; name: string },
  code: string,
  requestedFrom: string | null,
): SignInCode {
  return {
    to: account.email,
    name: account.name,
    code,
    expiresInMinutes: CODE_SECONDS / 60,
    requestedFrom,
  };
}

/** What the browser says of itself goes into an email: one printable line, or nothing. */
function placeOf({ ip, userAgent }: Place): string | null {
  const browser = (userAgent ?? '').replace(/[^\x20-\x7e]/g, '').slice(0, 70);
  const parts = [ip, browser].filter((part): part is string => Boolean(part) && isStorableText(part!));
  return parts.length === 0 ? null : parts.join(', ').slice(0, 120);
}

/** The same for a code that is wrong, over, used, or was never sent. */
function wrongCode(): PostriderError {
  return new PostriderError('CODE_WRONG', 'The code is wrong or no longer valid.', { field: 'code' });
}

function notBegun(): PostriderError {
  return new PostriderError('SIGN_IN_NOT_BEGUN', 'There is no sign-in that waits for a code.');
}

const CODE_SECONDS = 600;
const MAX_TRIES = 5;
const MAX_RESENDS = 3;
const RESEND_EVERY_SECONDS = 30;

export const CREDENTIALS = inputOf(
  z.strictObject({
    email: anyText.max(254, 'is too long'),
    password: anyText.max(MAX_LENGTH * 4, 'is too long'),
  }),
);
export const CODE = inputOf(
  z.strictObject({ code: z.string('must be text').regex(/^\d{6}$/, 'must be six digits') }),
);

interface AccountRow {
  id: string;
  email: string;
  name: string;
  password_hash: string;
}

interface SignInRow {
  admin_id: string;
  email: string;
  name: string;
  role: string;
  code_hash: string;
  resends: number;
  requested_from: string | null;
  /** Seconds until another code may be sent. */
  wait: number;
}

const ACCOUNT = `
  select id, email, name, password_hash from postrider.admins
  where lower(email) = lower($1) and disabled_at is null`;

const BEGIN = `
  insert into postrider.admin_sign_ins (token_hash, admin_id, code_hash, requested_from, expires_at)
  values ($1, $2, $3, $4, now() + make_interval(secs => $5::double precision)) returning expires_at`;

const LIVE = `s.token_hash = $1 and s.tries < ${MAX_TRIES} and s.expires_at > now()
    and a.id = s.admin_id and a.disabled_at is null`;

const COLUMNS = `s.admin_id, a.email, a.name, a.role, s.code_hash, s.resends, s.requested_from,
    (${RESEND_EVERY_SECONDS} - extract(epoch from now() - s.sent_at))::double precision as wait`;

const TRY = `
  update postrider.admin_sign_ins s set tries = s.tries + 1 from postrider.admins a
  where ${LIVE} returning ${COLUMNS}`;

const LOCK = `select ${COLUMNS} from postrider.admin_sign_ins s, postrider.admins a where ${LIVE} for update of s`;

const RENEW = `
  update postrider.admin_sign_ins set code_hash = $2, sent_at = now(), resends = resends + $4::int,
    expires_at = now() + make_interval(secs => $3::double precision)
  where token_hash = $1 returning expires_at`;

// One that ran out of tries or time is brought back by someone who is on the machine.
const NEWEST = `
  update postrider.admin_sign_ins set tries = 0 where token_hash = (
    select token_hash from postrider.admin_sign_ins
    where admin_id = $1 and expires_at > now() - interval '1 hour' order by sent_at desc limit 1 for update)
  returning token_hash`;
