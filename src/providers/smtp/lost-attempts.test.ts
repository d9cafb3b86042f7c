import { describe, expect, test } from 'vitest';
import { systemClock } from '../../kernel/index.js';
import { attemptContext, outgoingEmail } from '../outgoing-email.fixture.js';
import { scriptedProvider } from './scripted-provider.fixture.js';
import { greet, type Peer, takeEnvelope } from './scripted-server.fixture.js';

describe('lost on the way', () => {
  test('nobody listens → deferred ECONNREFUSED at connect', async () => {
    const { provider, server } = await scriptedProvider([]);
    await server.stop();
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'deferred',
      code: 'ECONNREFUSED',
      scope: 'route',
      category: 'TRANSIENT_ERROR',
      trace: { stage: 'connect' },
    });
  });

  test('dropped before the final dot → deferred', async () => {
    const { provider } = await scriptedProvider([
      async (peer) => {
        await greet(peer);
        await peer.line(/^MAIL/);
        peer.say('250 ok');
        await peer.line(/^RCPT/);
        peer.drop();
      },
    ]);
    const outcome = await provider.send(outgoingEmail(), attemptContext());
    expect(outcome).toMatchObject({ kind: 'deferred', scope: 'route', trace: { stage: 'rcpt' } });
    expect(outcome).not.toHaveProperty('unclassified');
  });

  test.each([
    ['dropped', (peer: Peer) => peer.drop()],
    ['reset', (peer: Peer) => peer.reset()],
  ])('%s after the final dot → unknown', async (_case, end) => {
    const { provider } = await scriptedProvider([
      async (peer) => {
        await greet(peer);
        await takeEnvelope(peer);
        await peer.message();
        end(peer);
      },
    ]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'unknown',
      trace: { stage: 'dot' },
    });
  });

  test('no answer to the message in its time → unknown ETIMEDOUT', async () => {
    const { provider } = await scriptedProvider(
      [
        async (peer) => {
          await greet(peer);
          await takeEnvelope(peer);
          await peer.message();
        },
      ],
      { replyTimeoutMs: 50 },
    );
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'unknown',
      code: 'ETIMEDOUT',
      category: 'TIMEOUT_ERROR',
    });
  });

  test('greeting that drips for ever → deferred at the absolute deadline', async () => {
    const { provider } = await scriptedProvider([
      async (peer) => {
        const timer = setInterval(() => peer.raw('220-drip\r\n'), 5);
        await peer.closed;
        clearInterval(timer);
      },
    ]);
    const attempt = attemptContext({ sendDeadlineAt: systemClock.now() + 120 });
    expect(await provider.send(outgoingEmail(), attempt)).toMatchObject({
      kind: 'deferred',
      code: 'ETIMEDOUT',
      category: 'TIMEOUT_ERROR',
      trace: { stage: 'greeting' },
    });
  });

  test.each([
    ['one endless line', '220 '.padEnd(1000, 'x')],
    ['endless lines', `${'220-x\r\n'.repeat(200)}`],
    ['no SMTP at all', 'HTTP/1.1 400 Bad Request\r\n'],
  ])('%s → deferred, unclassified, long before the deadline', async (_case, bytes) => {
    const { provider } = await scriptedProvider([
      async (peer) => {
        for (let i = 0; i < 100; i++) peer.raw(bytes);
      },
    ]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'deferred',
      code: 'EPROTOCOL',
      unclassified: true,
    });
  });

  test('an answer that comes before the final dot → the dot is never written', async () => {
    const { provider, server } = await scriptedProvider([
      async (peer) => {
        await greet(peer);
        await peer.line(/^MAIL/);
        peer.say('250 ok');
        await peer.line(/^RCPT/);
        peer.say('250 ok');
        await peer.line(/^DATA/);
        peer.say('354 go', '250 accepted already');
        await peer.message();
      },
    ]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'deferred',
      code: 'EPROTOCOL',
    });
    await server.peers[0]!.closed;
    expect(server.peers[0]!.received).not.toContain('\r\n.\r\n');
  });
});

describe('lease and stop', () => {
  test.each([
    ['small', 10],
    ['large', 200_000],
  ])('mayDeliver says no, %s body → no final dot, uncounted', async (_size, length) => {
    const { provider, server } = await scriptedProvider([
      async (peer) => {
        await greet(peer, 'PIPELINING');
        await takeEnvelope(peer);
        await peer.message();
        peer.say('250 ok');
      },
    ]);
    const text = 'line\n'.repeat(length / 5);
    const outcome = await provider.send(
      outgoingEmail({ text, html: '' }),
      attemptContext({ mayDeliver: () => false }),
    );
    expect(outcome).toMatchObject({
      kind: 'deferred',
      code: 'LEASE_LOST',
      scope: 'route',
      category: 'TRANSIENT_ERROR',
      uncounted: true,
    });
    await server.peers[0]!.closed;
    expect(server.peers[0]!.received).not.toContain('\r\n.\r\n');
  });

  test('stopped before the dot → deferred, uncounted; after it → unknown', async () => {
    const before = new AbortController();
    const first = await scriptedProvider([
      async (peer) => {
        await greet(peer);
        await peer.line(/^MAIL/);
        before.abort();
      },
    ]);
    expect(
      await first.provider.send(outgoingEmail(), attemptContext({ signal: before.signal })),
    ).toMatchObject({ kind: 'deferred', code: 'STOPPING', uncounted: true });

    const after = new AbortController();
    const second = await scriptedProvider([
      async (peer) => {
        await greet(peer);
        await takeEnvelope(peer);
        await peer.message();
        after.abort();
      },
    ]);
    expect(
      await second.provider.send(outgoingEmail(), attemptContext({ signal: after.signal })),
    ).toMatchObject({ kind: 'unknown', code: 'STOPPING' });
  });
});
