import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, silentLogger } from '../kernel/index.js';
import { createRouteTable } from './choose-route.js';
import { type Delivered, deliverByRoute } from './deliver-by-route.js';
import { STOPPING, unsent } from './our-side.js';
import { attemptContext, outgoingEmail } from './outgoing-email.fixture.js';
import type { Deferred, FailureScope, Misconfigured, Outcome, Provider } from './provider.js';
import type { Route } from './route.js';
import { createRouteBoard } from './route-board.js';
import type { SharedCircuit } from './route-circuit.js';

/** One attempt over scripted routes, with circuits and rates kept in memory. */
let clock: ManualClock;
let calls: string[];
let paused: string[];
let handedOver: number;
let answers: Record<string, Outcome | Error>;
let tokens: number;
beforeEach(() => {
  clock = new ManualClock();
  calls = [];
  paused = [];
  handedOver = 0;
  answers = {};
  tokens = 0;
});

function route(name: string, parts: Partial<Route> = {}): Route {
  const provider: Provider = {
    name: `provider-${name}`,
    async send() {
      calls.push(name);
      const answer = answers[name] ?? sent;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    testConnection: async () => ({ ok: true, message: '' }),
    close: async () => {},
  };
  return { name, provider, ...parts };
}

function open(routes: Route[]) {
  const shared = new Map<string, SharedCircuit>(
    routes.map(({ name }) => [
      name,
      { state: 'closed', version: 0, remainingMs: 0, ageMs: 0, openings: 0, reason: null },
    ]),
  );
  const metrics = { routeCircuit() {}, routeAttempt() {} };
  const random = () => 0;
  const board = createRouteBoard({
    table: createRouteTable(routes),
    circuits: {
      read: async () => shared,
      async change(name, { from, to, forMs, openings, reason }) {
        const next = { state: to, version: from + 1, remainingMs: forMs, ageMs: 0, openings, reason };
        shared.set(name, next);
        return next;
      },
      async takeProbe(name, version, forMs) {
        const circuit = {
          ...shared.get(name)!,
          state: 'probing' as const,
          version: version + 1,
          remainingMs: forMs,
        };
        shared.set(name, circuit);
        return { granted: true, circuit };
      },
    },
    rates: { take: async (_, want) => Math.min(want, tokens) },
    concurrency: 10,
    clock,
    random,
    logger: silentLogger,
    metrics,
  });
  return (
    parts: { paused?: string[]; recipients?: string[]; ownSender?: boolean; onlyThere?: boolean } = {},
  ): Promise<Delivered> =>
    deliverByRoute(
      {
        email: outgoingEmail({ recipients: parts.recipients ?? ['reader@example.net'] }),
        route: routes[0]!.name,
        tenant: 'acme',
        type: null,
        region: null,
        ownSender: parts.ownSender ?? false,
        onlyThere: parts.onlyThere ?? false,
        urgent: false,
        paused: new Set(parts.paused),
        signal: new AbortController().signal,
        attempt: () => attemptContext(),
        onHandedOver: () => {
          handedOver++;
        },
        pause: async (name) => {
          paused.push(name);
        },
      },
      { board, metrics, random },
    );
}

const sent: Outcome = { kind: 'sent', providerMessageId: 'x', trace: { stage: 'reply' } };
const failure = (scope: FailureScope, code = 'ECONNREFUSED') => ({
  scope,
  code,
  category: 'TRANSIENT_ERROR' as const,
  message: 'no',
  trace: { stage: 'connect' },
});
const deferred = (scope: FailureScope, code?: string): Deferred => ({
  kind: 'deferred',
  ...failure(scope, code),
});
const misconfigured: Misconfigured = { kind: 'misconfigured', ...failure('account', 'SMTP_535') };

describe('failover', () => {
  it.each([
    ['deferred, route', deferred('route')],
    ['deferred, account', deferred('account')],
    ['misconfigured', misconfigured],
  ])('%s → the next route in the same attempt, which has the last word', async (_, outcome) => {
    const deliver = open([route('a'), route('b')]);
    answers = { a: outcome };
    expect(await deliver()).toMatchObject({
      kind: 'tried',
      outcome: { kind: 'sent' },
      route: { name: 'b' },
      failover: [{ route: 'a', provider: 'provider-a', code: outcome.code }],
    });
    expect(calls).toEqual(['a', 'b']);
    expect(handedOver).toBe(1);
  });

  it.each<[string, Outcome | Error]>([
    ['sent', sent],
    ['unknown, even of the route', { kind: 'unknown', ...failure('route') }],
    ['a provider that throws', new Error('boom')],
    ['a provider that returns something else', { outcome: 'sent' } as never],
    ['rejected', { kind: 'rejected', ...failure('route') }],
    ['deferred, recipient', deferred('recipient')],
    ['deferred, message', deferred('message')],
    ['stopping', unsent(STOPPING, 'stopping')],
  ])('%s → never another route', async (_, outcome) => {
    const deliver = open([route('a'), route('b')]);
    answers = { a: outcome };
    expect(await deliver()).toMatchObject({ kind: 'tried', route: { name: 'a' }, failover: [] });
    expect(calls).toEqual(['a']);
  });

  it('a provider that returns something else → unknown, as when it throws: the email may be out', async () => {
    const deliver = open([route('a')]);
    answers = { a: { outcome: 'sent' } as never };
    expect(await deliver()).toMatchObject({ outcome: { kind: 'unknown', code: 'PROVIDER_FAULT' } });
  });

  it('an earlier answer was lost there → only there, and a wait when it cannot go', async () => {
    const deliver = open([route('a'), route('b')]);
    answers = { a: deferred('route') };
    expect(await deliver({ onlyThere: true })).toMatchObject({ route: { name: 'a' }, failover: [] });
    for (let i = 0; i < 4; i++) await deliver({ onlyThere: true });
    expect(calls).toEqual(['a', 'a', 'a', 'a', 'a']);
    expect(await deliver({ onlyThere: true })).toMatchObject({ kind: 'unavailable' });
    expect(await deliver({ onlyThere: true, paused: ['a'] })).toEqual({ kind: 'paused', route: 'a' });
  });

  it('all fail → the last outcome, with the others listed', async () => {
    const deliver = open([route('a'), route('b')]);
    answers = { a: deferred('route', 'A'), b: deferred('route', 'B') };
    expect(await deliver()).toMatchObject({ outcome: { code: 'B' }, failover: [{ route: 'a', code: 'A' }] });
  });

  it('one is down and the other refuses us → waits for the one that is down', async () => {
    const deliver = open([route('a'), route('b')]);
    answers = { a: deferred('route', 'A'), b: misconfigured };
    expect(await deliver()).toMatchObject({
      outcome: { kind: 'deferred', code: 'A' },
      failover: [{ route: 'b', code: 'SMTP_535' }],
    });
    expect(paused).toEqual(['b']);
  });
});

describe('a refused account', () => {
  it('nobody else → paused, and the email stays as it is', async () => {
    const deliver = open([route('a')]);
    answers = { a: misconfigured };
    expect(await deliver()).toMatchObject({ outcome: { kind: 'misconfigured' } });
    expect(paused).toEqual(['a']);
  });

  it('with `fail` → the email is rejected and nothing is paused', async () => {
    const deliver = open([route('a', { onAccountFailure: 'fail' })]);
    answers = { a: misconfigured };
    expect(await deliver()).toMatchObject({ outcome: { kind: 'rejected', code: 'SMTP_535' } });
    expect(paused).toEqual([]);
  });
});

describe('a sender the account does not know', () => {
  const unknownSender: Misconfigured = { kind: 'misconfigured', ...failure('message', 'NOT_VERIFIED') };

  it('the email brought it → this email is rejected and the route goes on', async () => {
    const deliver = open([route('a')]);
    answers = { a: unknownSender };
    expect(await deliver({ ownSender: true })).toMatchObject({
      outcome: { kind: 'rejected', scope: 'message', code: 'NOT_VERIFIED' },
    });
    expect(paused).toEqual([]);
  });

  it('it is the configured one → the route is paused and the email stays', async () => {
    const deliver = open([route('a')]);
    answers = { a: unknownSender };
    expect(await deliver()).toMatchObject({ outcome: { kind: 'misconfigured' } });
    expect(paused).toEqual(['a']);
  });

  it('another account knows it → sent there, and nothing is paused', async () => {
    const deliver = open([route('a'), route('b')]);
    answers = { a: unknownSender };
    expect(await deliver({ ownSender: true })).toMatchObject({
      outcome: { kind: 'sent' },
      route: { name: 'b' },
      failover: [{ route: 'a', code: 'NOT_VERIFIED' }],
    });
    expect(paused).toEqual([]);
  });
});

describe('nobody there', () => {
  it('the first is paused → the next; all are → paused', async () => {
    const deliver = open([route('a'), route('b')]);
    expect(await deliver({ paused: ['a'] })).toMatchObject({
      kind: 'tried',
      route: { name: 'b' },
      failover: [],
    });
    expect(await deliver({ paused: ['a', 'b'] })).toEqual({ kind: 'paused', route: 'a' });
  });

  it('the circuit is open → costs nothing and waits until it may be probed; then one probe closes it', async () => {
    const deliver = open([route('a')]);
    answers = { a: deferred('route') };
    for (let i = 0; i < 5; i++) await deliver();
    handedOver = 0;
    expect(await deliver()).toEqual({
      kind: 'unavailable',
      why: 'the circuit of the route is open',
      delayMs: 10_000,
    });
    expect(handedOver).toBe(0);
    answers = {};
    clock.advance(10_000);
    expect(await deliver()).toMatchObject({ kind: 'tried', outcome: { kind: 'sent' } });
    expect(await deliver()).toMatchObject({ kind: 'tried' });
  });

  it('its circuit is open and another route is there → goes there without trying the first', async () => {
    const deliver = open([route('a'), route('b')]);
    answers = { a: deferred('route') };
    for (let i = 0; i < 5; i++) await deliver();
    calls = [];
    expect(await deliver()).toMatchObject({ route: { name: 'b' } });
    expect(calls).toEqual(['b']);
  });

  it('a spent quota with a time → closed until then, for all that come after', async () => {
    const deliver = open([route('a')]);
    answers = { a: { ...deferred('account', 'QUOTA'), retryAt: clock.now() + 600_000, uncounted: true } };
    await deliver();
    expect(await deliver()).toMatchObject({ kind: 'unavailable', delayMs: 600_000 });
    expect(calls).toEqual(['a']);
  });
});

describe('rates', () => {
  it('over the rate → waits its turn; no other route is tried', async () => {
    const deliver = open([route('a', { ratePerSecond: 2 }), route('b')]);
    tokens = 1;
    expect(await deliver()).toMatchObject({ kind: 'tried', route: { name: 'a' } });
    tokens = 0;
    expect(await deliver()).toMatchObject({
      kind: 'unavailable',
      delayMs: 500,
      why: 'the rate of the route is used up',
    });
    expect(await deliver()).toMatchObject({ kind: 'unavailable', delayMs: 1000 });
    expect(calls).toEqual(['a']);
  });

  it("over a domain's rate → waits; other domains go", async () => {
    const deliver = open([route('a', { domainRates: { 'Example.com': 1 } })]);
    expect(await deliver({ recipients: ['x@EXAMPLE.com'] })).toMatchObject({ kind: 'unavailable' });
    expect(await deliver({ recipients: ['x@example.net'] })).toMatchObject({ kind: 'tried' });
    expect(await deliver({ recipients: ['x@sub.example.com'] })).toMatchObject({ kind: 'tried' });
  });
});
