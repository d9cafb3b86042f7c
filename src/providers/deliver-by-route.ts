import { messageOf, type Randomness } from '../kernel/index.js';
import { mayFailOver } from './judge-route.js';
import { notBegun } from './our-side.js';
import {
  type AttemptContext,
  beginAttempt,
  type Misconfigured,
  type Outcome,
  type OutgoingEmail,
} from './provider.js';
import { readOutcome } from './read-outcome.js';
import type { Route } from './route.js';
import type { RouteBoard, RouteMetrics } from './route-board.js';
import type { RouteLane } from './route-lane.js';

/**
 * One attempt over the candidates of an email: the first that is not paused and whose circuit lets it
 * pass, then the next as long as it is certain that nothing was delivered and the fault is the
 * route's. Never goes on after an answer that may mean delivery.
 */
export interface RouteDelivery {
  email: OutgoingEmail;
  route: string;
  tenant: string;
  type: string | null;
  region: string | null;
  /** The email says itself who it is from; a sender the account does not know is then its own fault. */
  ownSender: boolean;
  /** An earlier answer of this route was lost, and only it would recognise a repeat. */
  onlyThere: boolean;
  /** Asks again soon instead of taking its place behind the others. */
  urgent: boolean;
  paused: ReadonlySet<string>;
  /** Aborted when the process must stop now. */
  signal: AbortSignal;
  /** The time and the limits of each try. */
  attempt: () => AttemptContext;
  /** The email is about to be handed to a provider, for the first time in this attempt. */
  onHandedOver(): void;
  /** The account of this route was refused. */
  pause(route: string, why: string): Promise<void>;
}

export type Delivered =
  | { kind: 'tried'; outcome: Outcome; route: Route; failover: FailedRoute[] }
  /** Nothing was tried, and nothing can be before that. */
  | { kind: 'unavailable'; why: string; delayMs: number }
  /** Every candidate is paused; this is the first of them. */
  | { kind: 'paused'; route: string };

export interface FailedRoute {
  route: string;
  provider: string;
  code: string;
}

export async function deliverByRoute(
  delivery: RouteDelivery,
  tools: { board: RouteBoard; metrics: RouteMetrics; random: Randomness },
): Promise<Delivered> {
  const tried: Array<{ outcome: Outcome; route: Route }> = [];
  const waits: Array<{ kind: string; ms: number }> = [];
  const all = tools.board.candidates(delivery.route, delivery);
  const candidates = delivery.onlyThere ? all.slice(0, 1) : all;
  for (const lane of candidates) {
    if (delivery.paused.has(lane.route.name)) continue;
    const { recipients } = delivery.email;
    const entering = lane.enter({ recipients, urgent: delivery.urgent, signal: delivery.signal });
    const entry = entering instanceof Promise ? await entering : entering;
    if (entry.kind !== 'pass') {
      waits.push(entry);
      if (entry.kind !== 'circuit' && tried.length === 0) break;
      continue;
    }
    if (tried.length === 0) delivery.onHandedOver();
    const outcome = await send(lane, delivery);
    lane.leave(entry, outcome);
    tools.metrics.routeAttempt(lane.route.name, outcome.kind);
    tried.push({ outcome, route: lane.route });
    if (!mayFailOver(outcome)) break;
    if (outcome.kind === 'misconfigured' && !endsEmail(outcome, lane.route, delivery)) {
      await delivery.pause(lane.route.name, `${outcome.code}: ${outcome.message}`);
    }
  }
  if (tried.length > 0) return lastWord(tried, delivery);
  if (waits.length === 0) return { kind: 'paused', route: candidates[0]!.route.name };
  const soonest = waits.reduce((a, b) => (b.ms < a.ms ? b : a));
  const delayMs = Math.max(1, Math.ceil(soonest.ms * (1 + tools.random() * JITTER)));
  return { kind: 'unavailable', why: WHY[soonest.kind] ?? soonest.kind, delayMs };
}

const JITTER = 0.1;

const WHY: Record<string, string> = {
  circuit: 'the circuit of the route is open',
  rate: 'the rate of the route is used up',
  busy: 'the route has no room',
};

/** What the email is settled by: the last outcome, but a wait for a working account before a refused one. */
function lastWord(
  tried: ReadonlyArray<{ outcome: Outcome; route: Route }>,
  delivery: RouteDelivery,
): Delivered {
  const only = tried.length === 1 ? tried[0] : undefined;
  if (only?.outcome.kind === 'sent')
    return { kind: 'tried', outcome: only.outcome, route: only.route, failover: [] };
  const words = tried.filter(({ outcome }) => outcome.kind !== 'misconfigured');
  const last = words.at(-1) ?? tried.at(-1)!;
  const failover = tried.flatMap(({ outcome, route }) =>
    route === last.route || outcome.kind === 'sent'
      ? []
      : [{ route: route.name, provider: route.provider.name, code: outcome.code }],
  );
  const { outcome, route } = last;
  if (outcome.kind !== 'misconfigured' || !endsEmail(outcome, route, delivery)) {
    return { kind: 'tried', outcome, route, failover };
  }
  return { kind: 'tried', outcome: { ...outcome, kind: 'rejected' }, route, failover };
}

/** Whether the account's refusal costs this email and not the route. */
function endsEmail(outcome: Misconfigured, route: Route, { ownSender }: RouteDelivery): boolean {
  return route.onAccountFailure === 'fail' || (outcome.scope === 'message' && ownSender);
}

async function send(lane: RouteLane, delivery: RouteDelivery): Promise<Outcome> {
  const { provider } = lane.route;
  const attempt = delivery.attempt();
  if (!provider.callsBegin) {
    const begun = beginAttempt(attempt);
    if (begun !== true && !(await begun)) return notBegun();
  }
  try {
    const returned: unknown = await provider.send(delivery.email, attempt);
    return readOutcome(returned) ?? fault('the provider returned something that is no outcome');
  } catch (error) {
    return fault(messageOf(error));
  }
}

/** A provider promises an outcome; one that throws or returns something else has not told how far it came. */
function fault(message: string): Outcome {
  return {
    kind: 'unknown',
    scope: 'message',
    code: 'PROVIDER_FAULT',
    category: 'UNKNOWN_ERROR',
    message,
    trace: { stage: 'unknown' },
  };
}
