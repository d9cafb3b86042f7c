import type { RateLimitState } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';
import type { Judged } from './judge-emails.js';
import type { Rules } from './rules.js';
import { type SlotRequest, type SlotWindow, takeRateSlots } from './take-rate-slots.js';
import type { Refusal } from './verdict.js';

/**
 * The limits per recipient and type: every address of an email, whether in to, cc or bcc, is counted once. All emails
 * are counted or none; the refusal names the first that is too many.
 */
export async function countRateLimits(
  tx: Queryable,
  rules: Rules,
  emails: readonly Judged[],
): Promise<Refusal | Counted> {
  const wishes = collectWishes(rules, emails);
  if (wishes.size === 0) return { windows: [] };
  const answer = await takeRateSlots(
    tx,
    [...wishes.values()].map(({ request }) => request),
  );
  if (!answer.taken) return tooMany(answer.short, wishes.get(keyOf(answer.short.request))!, emails);
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

function collectWishes(rules: Rules, emails: readonly Judged[]): Map<string, Wish> {
  const wishes = new Map<string, Wish>();
  emails.forEach((email, index) => {
    const { tenant, type } = email;
    const limit = type === null ? null : rules.limitOf(tenant, type);
    if (type === null || limit === null) return;
    for (const [recipient, field] of recipientsOf(email, rules)) {
      const request = { tenant, type, recipient, wanted: 0, limit };
      const wish = wishes.get(keyOf(request)) ?? { request, places: [] };
      wish.request.wanted += 1;
      wish.places.push({ index, field });
      wishes.set(keyOf(request), wish);
    }
  });
  return wishes;
}

/** Each recipient's hash once, with the field that names it. */
function recipientsOf({ tenant, to, cc, bcc }: Judged, rules: Rules): Map<string, string> {
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
