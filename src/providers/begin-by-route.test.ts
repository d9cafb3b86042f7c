import { beforeEach, describe, expect, it } from 'vitest';
import { type Delivered, deliverByRoute } from './deliver-by-route.js';
import { attemptContext, outgoingEmail } from './outgoing-email.fixture.js';
import type { Route } from './route.js';
import type { RouteBoard } from './route-board.js';

/** Who says that an attempt begins: the provider, or for one that does not call it the way to it. */
let calls: string[];
let mayBegin: boolean;
beforeEach(() => {
  calls = [];
  mayBegin = true;
});

function route(name: string, callsBegin: boolean): Route {
  return {
    name,
    provider: {
      name,
      callsBegin,
      async send() {
        calls.push(name);
        return { kind: 'sent', providerMessageId: null, trace: { stage: 'reply' } };
      },
      testConnection: async () => ({ ok: true, message: '' }),
      close: async () => {},
    },
  };
}

function deliver(...routes: Route[]): Promise<Delivered> {
  const free = { enter: () => ({ kind: 'pass', probe: false }), leave() {} };
  const board = { candidates: () => routes.map((one) => ({ ...free, route: one })) };
  const begin = async () => {
    calls.push('begin');
    return mayBegin;
  };
  return deliverByRoute(
    {
      ...{ email: outgoingEmail(), route: 'a', tenant: 'acme', type: null, region: null },
      ...{ ownSender: false, onlyThere: false, urgent: false, paused: new Set() },
      signal: new AbortController().signal,
      attempt: () => attemptContext({ begin }),
      onHandedOver() {},
      pause: async () => {},
    },
    {
      board: board as unknown as RouteBoard,
      metrics: { routeCircuit() {}, routeAttempt() {} },
      random: () => 0,
    },
  );
}

describe('a provider that does not call begin', () => {
  it('is asked to send → the attempt has begun before', async () => {
    expect(await deliver(route('a', false))).toMatchObject({ outcome: { kind: 'sent' } });
    expect(calls).toEqual(['begin', 'a']);
  });

  it('and the claim is another’s → is not asked, and neither is another route', async () => {
    mayBegin = false;
    expect(await deliver(route('a', false), route('b', false))).toMatchObject({
      outcome: { kind: 'deferred', code: 'CLAIM_LOST', uncounted: true },
    });
    expect(calls).toEqual(['begin']);
  });
});

it('a provider that calls begin itself → nobody calls it before', async () => {
  await deliver(route('a', true));
  expect(calls).toEqual(['a']);
});
