import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { PostriderError } from '../kernel/index.js';

/**
 * Passwords as scrypt keeps them: 32 MB and about a tenth of a second each, with a salt of their own. Checking one of
 * nobody costs the same as checking one of somebody. Two at a time: more would take the threads that files and the
 * embedded store need, and a flood of sign-ins waits or is turned away instead of taking the machine.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, COST);
  return ['scrypt', COST, BLOCK, 1, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** `hash` is null when there is no such account; the answer is then no, after the same work. */
export async function checkPassword(password: string, hash: string | null): Promise<boolean> {
  const [, cost, , , salt = '', key = ''] = (hash ?? NOBODY).split('$');
  const expected = Buffer.from(key, 'base64url');
  const given = await derive(password, Buffer.from(salt, 'base64url'), Number(cost));
  return timingSafeEqual(given, expected) && hash !== null;
}

/** Long enough to be no word; no other rule, as rules make passwords worse. */
export function refuseWeakPassword(password: string, email: string): void {
  const problem =
    [...password].length < MIN_LENGTH
      ? `must have at least ${MIN_LENGTH} characters`
      : password.length > MAX_LENGTH
        ? `must have at most ${MAX_LENGTH} characters`
        : password.toLowerCase() === email.toLowerCase() || new Set(password).size < 5
          ? 'is too easy to guess'
          : null;
  if (problem) throw new PostriderError('INVALID_PAYLOAD', `The password ${problem}.`, { field: 'password' });
}

export const MAX_LENGTH = 256;
const MIN_LENGTH = 12;
const COST = 2 ** 15;
const BLOCK = 8;
const KEY_BYTES = 32;
const AT_ONCE = 2;
const WAITING = 20;
/** Of no password. */
const NOBODY = `scrypt$${COST}$${BLOCK}$1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

const run = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
let running = 0;
const queue: Array<() => void> = [];

async function derive(password: string, salt: Buffer, cost: number): Promise<Buffer> {
  if (running >= AT_ONCE) {
    if (queue.length >= WAITING)
      throw new PostriderError('TOO_MANY_TRIES', 'Too many are signing in at this moment.', {
        retryAfterSeconds: 2,
      });
    await new Promise<void>((resolve) => queue.push(resolve));
  } else running += 1;
  try {
    // The same characters typed on different keyboards are one password.
    return await run(password.normalize('NFKC'), salt, KEY_BYTES, {
      N: cost,
      r: BLOCK,
      p: 1,
      maxmem: 64 * 1024 ** 2,
    });
  } finally {
    const next = queue.shift();
    if (next) next();
    else running -= 1;
  }
}
