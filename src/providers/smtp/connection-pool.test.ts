import { connect } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../kernel/index.js';
import { attemptContext, outgoingEmail } from '../outgoing-email.fixture.js';
import { ConnectionPool } from './connection-pool.js';
import { scriptedProvider, takesAll } from './scripted-provider.fixture.js';
import { greet, type Peer, takeEnvelope, takeMessage } from './scripted-server.fixture.js';
import { WaitingPlace } from './waiting-place.js';

describe('the pool', () => {
  test('forty emails over three connections → all sent', async () => {
    const { provider, server } = await scriptedProvider([takesAll('PIPELINING')], { maxConnections: 3 });
    const signal = new AbortController().signal;
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, () => provider.send(outgoingEmail(), attemptContext({ signal }))),
    );
    expect(outcomes.every(({ kind }) => kind === 'sent')).toBe(true);
    expect(server.peers).toHaveLength(3);
  });

  test('twenty at once → four knock, and the others when these are let in', async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { provider, server } = await scriptedProvider(
      [
        async (peer) => {
          await opened;
          await takesAll('PIPELINING')(peer);
        },
      ],
      { maxConnections: 20 },
    );
    const sends = Array.from({ length: 20 }, () => provider.send(outgoingEmail(), attemptContext()));
    await new Promise((resolve) => setImmediate(resolve));
    // Connections are taken in order: with this one, all that came before it are there.
    const last = connect(server.port, '127.0.0.1', () => last.write('EHLO last\r\n'));
    onTestFinished(() => void last.destroy());
    await expect.poll(() => server.peers.some(({ received }) => received.includes('last'))).toBe(true);
    expect(server.peers).toHaveLength(5);
    open();
    expect((await Promise.all(sends)).every(({ kind }) => kind === 'sent')).toBe(true);
  });

  test('no connection free until the deadline → deferred, uncounted', async () => {
    const { provider } = await scriptedProvider([async (peer) => greet(peer)], { maxConnections: 1 });
    const stop = new AbortController();
    const first = provider.send(outgoingEmail(), attemptContext({ signal: stop.signal }));
    const second = provider.send(outgoingEmail(), attemptContext({ sendDeadlineAt: systemClock.now() + 60 }));
    expect(await second).toMatchObject({ kind: 'deferred', code: 'POOL_TIMEOUT', uncounted: true });
    stop.abort();
    await first;
  });

  test.each([
    ['closes it unheard', (peer: Peer) => peer.drop()],
    ['says 421 and closes', (peer: Peer) => peer.say('421 4.4.2 idle too long')],
  ])('server %s at the next MAIL → sent on a new connection in the same attempt', async (_case, end) => {
    const { provider, server } = await scriptedProvider([
      async (peer) => {
        await greet(peer, 'PIPELINING');
        await takeMessage(peer);
        await peer.line(/^MAIL/);
        end(peer);
      },
      takesAll('PIPELINING'),
    ]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({ kind: 'sent' });
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({ kind: 'sent' });
    expect(server.peers).toHaveLength(2);
  });

  test('a new connection that dies at MAIL → deferred, not tried again', async () => {
    const { provider, server } = await scriptedProvider([
      async (peer) => {
        await greet(peer);
        await peer.line(/^MAIL/);
        peer.drop();
      },
    ]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({ kind: 'deferred' });
    expect(server.peers).toHaveLength(1);
  });

  test('idle for its time → retired with QUIT', async () => {
    const { provider, server } = await scriptedProvider([takesAll('PIPELINING')], { idleTimeoutMs: 20 });
    await provider.send(outgoingEmail(), attemptContext());
    await server.peers[0]!.closed;
    expect(server.peers[0]!.received).toMatch(/QUIT\r\n$/);
  });
});

describe('a server that answers at once', () => {
  test('three connections are free and six emails come → three take one each, the others wait behind them', async () => {
    const { provider, server } = await scriptedProvider([takesAll('PIPELINING')], { maxConnections: 3 });
    const batch = (count: number) =>
      Promise.all(Array.from({ length: count }, () => provider.send(outgoingEmail(), attemptContext())));
    await batch(3);
    expect(server.peers).toHaveLength(3);
    const acquire = vi.spyOn(ConnectionPool.prototype, 'acquire');
    onTestFinished(() => acquire.mockRestore());
    expect((await batch(6)).every(({ kind }) => kind === 'sent')).toBe(true);
    expect(acquire.mock.results.map(({ value }) => value instanceof WaitingPlace)).toEqual([
      ...[false, false, false],
      ...[true, true, true],
    ]);
  });

  test('it falls silent with another connection free → who waits in line goes there', async () => {
    let silent = false;
    const { provider } = await scriptedProvider(
      [
        async (peer) => {
          await greet(peer, 'PIPELINING');
          for (;;) {
            await takeEnvelope(peer);
            await peer.message();
            if (silent) {
              silent = false;
              return;
            }
            peer.say('250 ok');
          }
        },
      ],
      { maxConnections: 2 },
    );
    const stop = new AbortController();
    const send = () => provider.send(outgoingEmail(), attemptContext({ signal: stop.signal }));
    await Promise.all([send(), send()]);
    silent = true;
    const sends = Array.from({ length: 4 }, send);
    let sent = 0;
    for (const each of sends) void each.then(({ kind }) => (sent += kind === 'sent' ? 1 : 0));
    await expect.poll(() => sent, { timeout: 20_000 }).toBe(3);
    stop.abort();
    expect((await Promise.all(sends)).map(({ kind }) => kind).sort()).toEqual([
      ...['sent', 'sent', 'sent'],
      'unknown',
    ]);
  });
});
