import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Clock, hasControlCharacter, PostriderError, systemClock } from '../kernel/index.js';

/**
 * A user of the application, vouched for by the application: a compact token signed with HMAC-SHA256, written as a
 * JSON Web Token so that any language's library can make one. It says who (`sub`), of which company (`companyId`),
 * for whom it is (`aud`), until when (`exp`, a day at most) and, if it says so, from when (`nbf`). Nothing else in its
 * header or its claims is believed.
 */
export function signUserToken(user: UserClaim, key: string, clock: Clock = systemClock): string {
  checkKey(key);
  checkUser(user);
  const seconds = user.expiresInSeconds ?? USUAL_SECONDS;
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_SECONDS)
    throw invalid('expiresInSeconds', `must be a whole number from 1 to ${MAX_SECONDS}`);
  const now = Math.floor(clock.now() / 1000);
  const claims = {
    sub: user.userId,
    companyId: user.companyId,
    aud: AUDIENCE,
    iat: now,
    exp: now + seconds,
  };
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${signatureOf(signed, key).toString('base64url')}`;
}

export interface UserClaim {
  userId: string;
  companyId: string;
  /** Defaults to an hour. */
  expiresInSeconds?: number;
}

/** The user a token speaks for, or null when no key signed it, it is over, or it is for someone else. */
export function readUserToken(
  token: string,
  keys: readonly string[],
  clock: Clock,
): { userId: string; companyId: string } | null {
  const parts = token.split('.');
  if (token.length > MAX_TOKEN || parts.length !== 3) return null;
  const [head, body, signature] = parts as [string, string, string];
  const given = Buffer.from(signature, 'base64url');
  const signedBy = keys.some((key) => {
    const expected = signatureOf(`${head}.${body}`, key);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!signedBy) return null;
  const header = decode(head);
  const claims = decode(body);
  // The algorithm is ours, whatever the header wishes for.
  if (header?.alg !== 'HS256' || claims?.aud !== AUDIENCE) return null;
  const { sub, companyId, exp, nbf } = claims;
  if (!isName(sub) || !isName(companyId) || typeof exp !== 'number') return null;
  const now = clock.now() / 1000;
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now + LEEWAY_SECONDS)) return null;
  return exp > now && exp <= now + MAX_SECONDS + SKEW_SECONDS ? { userId: sub, companyId } : null;
}

/** The setting: one key or several, the first of which signs. */
export function userTokenKeys(setting: string | null): string[] {
  return setting === null ? [] : setting.split(',').map((key) => key.trim());
}

export const MIN_KEY_LENGTH = 32;
const AUDIENCE = 'postrider';
const USUAL_SECONDS = 3600;
const MAX_SECONDS = 86_400;
const SKEW_SECONDS = 60;
/** A clock that is ahead by less must not refuse a token that was just made. */
const LEEWAY_SECONDS = 5;
const MAX_TOKEN = 2048;

function signatureOf(signed: string, key: string): Buffer {
  return createHmac('sha256', key).update(signed).digest();
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function checkKey(key: string): void {
  if (key.length < MIN_KEY_LENGTH)
    throw new PostriderError(
      'INVALID_CONFIG',
      `The key for user tokens has fewer than ${MIN_KEY_LENGTH} characters.`,
    );
}

function checkUser({ userId, companyId }: UserClaim): void {
  if (!isName(userId)) throw invalid('userId', 'must be one line of 1 to 128 characters');
  if (!isName(companyId)) throw invalid('companyId', 'must be one line of 1 to 128 characters');
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 128 && !hasControlCharacter(value);
}

function invalid(field: string, problem: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} ${problem}`, { field });
}
