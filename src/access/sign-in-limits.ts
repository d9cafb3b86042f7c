import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { PostriderError } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';

/**
 * How often something may be tried in a window, counted by one statement, so that a hundred at once count as a
 * hundred. The window is fixed: it ends a set time after its first try, whatever comes after.
 */
export interface Limit {
  name: string;
  times: number;
  windowMs: number;
}

export const LIMITS = {
  /** One account from one place. Not one account from everywhere: that would let anyone lock it. */
  password: { name: 'password', times: 10, windowMs: 15 * 60_000 },
  /** All accounts from one place. */
  place: { name: 'place', times: 60, windowMs: 15 * 60_000 },
  /** Wrong codes of one account, however many sign-ins they are spread over. */
  code: { name: 'code', times: 20, windowMs: 60 * 60_000 },
  /** Codes sent to one account. */
  mail: { name: 'mail', times: 10, windowMs: 60 * 60_000 },
} satisfies Record<string, Limit>;

/** Counts one try of `who`, and throws TOO_MANY_TRIES when it is one too many. */
export async function countTry(database: Queryable, limit: Limit, who: string): Promise<void> {
  const { rows } = await database.query<{ count: number; left: number }>(COUNT, [
    keyOf(limit, who),
    limit.windowMs / 1000,
  ]);
  const { count = 1, left = 1 } = rows[0] ?? {};
  if (count <= limit.times) return;
  throw new PostriderError('TOO_MANY_TRIES', 'Too many tries.', { retryAfterSeconds: Math.max(1, left) });
}

/** Whether another try would be one too many, without counting it. */
export async function refuseSpent(database: Queryable, limit: Limit, who: string): Promise<void> {
  const { rows } = await database.query<{ left: number }>(SPENT, [keyOf(limit, who), limit.times]);
  if (rows[0])
    throw new PostriderError('TOO_MANY_TRIES', 'Too many tries.', {
      retryAfterSeconds: Math.max(1, rows[0].left),
    });
}

export async function forgetTries(database: Queryable, limit: Limit, who: string): Promise<void> {
  await database.query('delete from postrider.sign_in_limits where key = $1', [keyOf(limit, who)]);
}

/** Windows that are over; called now and then by whoever signs in. */
export async function dropOldTries(database: Queryable): Promise<void> {
  await database.query(`delete from postrider.sign_in_limits where window_ends_at < now()`);
}

/**
 * Where a try comes from, as limits count it: an IPv6 network of 64 bits, since whoever has one has all its addresses;
 * an IPv4 address however it is written.
 */
export function networkOf(ip: string | null): string {
  if (ip === null) return 'unknown';
  const mapped = /^(?:0{0,4}:){2,6}ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  if (mapped) return mapped[1]!;
  if (!isIPv6(ip)) return ip;
  // A scope names an interface of this machine.
  const [address = ''] = ip.split('%');
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = Array<string>(Math.max(0, GROUPS - before.length - groupsOf(after))).fill('0');
  const groups = [...before, ...(tail === undefined ? [] : gap), ...after];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

const GROUPS = 8;

/** The last may be an IPv4 address, which stands for two. */
function groupsOf(parts: readonly string[]): number {
  return parts.length + (parts.at(-1)?.includes('.') ? 1 : 0);
}

/** A hash, so that the table names nobody. */
function keyOf(limit: Limit, who: string): string {
  return `${limit.name}:${createHash('sha256').update(who).digest('base64url')}`;
}

const COUNT = `
  insert into postrider.sign_in_limits as l (key, count, window_ends_at)
  values ($1, 1, clock_timestamp() + make_interval(secs => $2::double precision))
  on conflict (key) do update set
    count = case when l.window_ends_at <= clock_timestamp() then 1 else l.count + 1 end,
    window_ends_at = case when l.window_ends_at <= clock_timestamp() then excluded.window_ends_at
                          else l.window_ends_at end
  returning count, extract(epoch from window_ends_at - clock_timestamp())::double precision as left`;

const SPENT = `
  select extract(epoch from window_ends_at - clock_timestamp())::double precision as left
  from postrider.sign_in_limits where key = $1 and count >= $2::int and window_ends_at > clock_timestamp()`;
