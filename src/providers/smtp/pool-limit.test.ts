import { describe, expect, test } from 'vitest';
import { attemptContext, outgoingEmail } from '../outgoing-email.fixture.js';
import type { Provider } from '../provider.js';
import { scriptedProvider } from './scripted-provider.fixture.js';
import { greet, type Script, takeMessage } from './scripted-server.fixture.js';

interface LimitedServer {
  script: Script;
  seen(): { most: number; refusals: number };
  forget(): void;
}

/** A server that takes so many connections at once and answers 421 to the next, as real ones do. */
function takesAtMost(allowed: { readonly connections: number }, ...extensions: string[]): LimitedServer {
  let open = 0;
  let most = 0;
  let refusals = 0;
  const script: Script = async (peer) => {
    if (open >= allowed.connections) {
      refusals += 1;
      peer.say('421 4.7.0 too many connections');
      return;
    }
    open += 1;
    most = Math.max(most, open);
    void peer.closed.then(() => {
      open -= 1;
    });
    await greet(peer, ...extensions);
    for (;;) await takeMessage(peer);
  };
  return { script, seen: () => ({ most, refusals }), forget: () => (refusals = 0) };
}

function batch(provider: Provider, count: number) {
  const { signal } = new AbortController();
  return Promise.all(
    Array.from({ length: count }, () => provider.send(outgoingEmail(), attemptContext({ signal }))),
  );
}

describe('the pool and 421', () => {
  test('server takes three of ten → the pool shrinks to three, and the next emails meet no 421', async () => {
    const server = takesAtMost({ connections: 3 });
    const { provider } = await scriptedProvider([server.script], { maxConnections: 10 });
    const first = await batch(provider, 10);
    // Only those meet it who knock before the first has heard of it.
    const refused = first.filter(({ kind }) => kind === 'deferred').length;
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual(4);
    server.forget();
    const second = await batch(provider, 20);
    expect(second.every(({ kind }) => kind === 'sent')).toBe(true);
    expect(server.seen()).toEqual({ most: 3, refusals: 0 });
  });

  test('server takes none → one connection is still tried, and nobody waits for ever', async () => {
    const server = takesAtMost({ connections: 0 });
    const { provider } = await scriptedProvider([server.script], { maxConnections: 4 });
    const outcomes = await batch(provider, 12);
    expect(outcomes.every(({ kind }) => kind === 'deferred')).toBe(true);
    expect(server.seen().refusals).toBe(12);
  });

  test('success after a shrink → the pool grows back to its full size', async () => {
    const allowed = { connections: 1 };
    const server = takesAtMost(allowed);
    const { provider } = await scriptedProvider([server.script], { maxConnections: 4 });
    await batch(provider, 8);
    expect(server.seen().most).toBe(1);
    allowed.connections = 10;
    for (let round = 0; round < 10; round++) await batch(provider, 20);
    expect(server.seen().most).toBe(4);
  });

  test('success after a shrink, and everyone in line already → another connection is opened for them', async () => {
    const server: LimitedServer = takesAtMost(
      {
        get connections() {
          return server.seen().refusals === 0 ? 1 : 2;
        },
      },
      'PIPELINING',
    );
    const { provider } = await scriptedProvider([server.script], { maxConnections: 2 });
    await batch(provider, 60);
    expect(server.seen()).toEqual({ most: 2, refusals: 1 });
  });
});
