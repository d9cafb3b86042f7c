import type { RateLimit, RateLimitState } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';
import type { Judged } from './judge-emails.js';
import type { Rules } from './rules.js';
import { type SlotRequest, type SlotWindow, takeRateSlots } from './take-rate-slots.js';
import type { Refusal } from './verdict.js';

/**
 * The limits per recipient and type: every address of an email, whether in to, cc or bcc, is counted once; of a type
 * that counts users, the user it names instead, once for all emails that are one message. All emails
 * are counted or none; the refusal names the first that is too many.
 *
 * A caller with a pace of its own is not refused by a declared window that allows that pace: its days are not those of
 * UTC, and an email made up for late must not cost the next one. What it sends is counted as far as there is room.
 */
export async function countRateLimits(
  tx: Queryable,
  rules: Rules,
  emails: readonly Judged[],
  { paceSeconds = 0, oneMessage = false }: Counting,
): Promise<Refusal | Counted> {
  const wishes = collectWishes(rules, emails, oneMessage);
  const answer = await takeWhatMatters(
    tx,
    [...wishes.values()].map(({ request }) => request),
    ({ tenant, type, limit }) => !rules.isSet(tenant, type) && allowsPace(limit, paceSeconds),
  );
  if ('short' in answer) return tooMany(answer.short, wishes.get(keyOf(answer.short.request))!, emails);
  const rateLimits: Array<RateLimitState | undefined> = [];
  for (const { request, state } of answer.windows) {
    const left = { ...state, remaining: state.remaining - request.wanted };
    for (const { index } of wishes.get(keyOf(request))!.places) {
      // Of several recipients the one nearest to its limit is told.
      const before = rateLimits[index];
      if (!before || left.remaining < before.remaining) rateLimits[index] = left;
    }
  }
  return { windows: answer.windows, rateLimits };
}

export interface Pace {
  /** Whoever sends sees to it that nobody gets one more often than this. */
  paceSeconds?: number;
}

export interface Counting extends Pace {
  /** The emails are one message to several people: a user who is named by several of them gets it once. */
  oneMessage?: boolean;
}

/** Once in its window, or as often as it is allowed. A limit that counts for ever allows no pace. */
function allowsPace({ limit, windowSeconds }: RateLimit, paceSeconds: number): boolean {
  return windowSeconds !== null && paceSeconds * limit >= windowSeconds;
}

/** All that is asked for, except where there is no room and none is needed. */
async function takeWhatMatters(
  tx: Queryable,
  asked: readonly SlotRequest[],
  passes: (request: SlotRequest) => boolean,
): Promise<{ windows: readonly SlotWindow[] } | { short: SlotWindow }> {
  let left = asked;
  while (left.length > 0) {
    const answer = await takeRateSlots(tx, left);
    if (answer.taken) return answer;
    const refused = answer.short.find(({ request }) => !passes(request));
    if (refused) return { short: refused };
    const full = new Set(answer.short.map(({ request }) => request));
    left = left.filter((request) => !full.has(request));
  }
  return { windows: [] };
}

export interface Counted {
  /** What was taken, to be given back should another rule refuse. */
  windows: readonly SlotWindow[];
  rateLimits?: ReadonlyArray<RateLimitState | undefined>;
}

interface Wish {
  request: SlotRequest;
  /** The emails that want a slot of it, in order. */
  places: Array<{ index: number; field: string }>;
}

function collectWishes(rules: Rules, emails: readonly Judged[], oneMessage: boolean): Map<string, Wish> {
  const wishes = new Map<string, Wish>();
  emails.forEach((email, index) => {
    const { tenant, type } = email;
    if (email.suppressed !== null) return;
    const limit = type === null ? null : rules.limitOf(tenant, type);
    if (type === null || limit === null) return;
    for (const [recipient, field] of recipientsOf(email, rules)) {
      const request = { tenant, type, recipient, wanted: 0, limit };
      const wish = wishes.get(keyOf(request)) ?? { request, places: [] };
      const isCounted = oneMessage && field === 'userId' && wish.places.length > 0;
      if (!isCounted) wish.request.wanted += 1;
      wish.places.push({ index, field });
      wishes.set(keyOf(request), wish);
    }
  });
  return wishes;
}

/** The user where the type counts users and one is named; else each recipient's hash once, with the field that names it. */
function recipientsOf({ tenant, type, userId, to, cc, bcc }: Judged, rules: Rules): Map<string, string> {
  if (type !== null && userId !== null && rules.countsByUser(type))
    return new Map([[rules.hashUser(tenant, userId), 'userId']]);
  const found = new Map<string, string>();
  for (const [field, mailboxes] of Object.entries({ to, cc, bcc })) {
    for (const { address } of mailboxes) {
      const hash = rules.hashAddress(tenant, address);
      if (!found.has(hash)) found.set(hash, field);
    }
  }
  return found;
}

function tooMany(
  { request, state, resetInSeconds }: SlotWindow,
  wish: Wish,
  emails: readonly Judged[],
): Refusal {
  const place = wish.places[Math.min(state.remaining, wish.places.length - 1)]!;
  const { limit, windowSeconds } = request.limit;
  const per = windowSeconds === null ? 'ever' : `in ${windowSeconds} seconds`;
  return {
    accept: false,
    code: 'RATE_LIMITED',
    message: `This recipient gets at most ${limit} of type ${emails[place.index]?.type} ${per}.`,
    ...place,
    rateLimit: state,
    ...(resetInSeconds !== null && { retryAfterSeconds: Math.ceil(resetInSeconds) }),
  };
}

function keyOf({ tenant, type, recipient }: SlotRequest): string {
  return `${tenant}\n${type}\n${recipient}`;
}
