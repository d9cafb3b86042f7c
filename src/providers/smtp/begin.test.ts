import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../kernel/index.js';
import { attemptContext, outgoingEmail } from '../outgoing-email.fixture.js';
import type { AttemptContext, Provider } from '../provider.js';
import { scriptedProvider, takesAll } from './scripted-provider.fixture.js';
import { greet, takeEnvelope, takeMessage } from './scripted-server.fixture.js';

/** When an email is marked as begun: with its connection, before the first byte of it. */
const ONE = { maxConnections: 1 };

function sendTo(provider: Provider, name: string, parts: Partial<AttemptContext> = {}) {
  return provider.send(outgoingEmail({ to: [{ address: `${name}@example.net` }] }), attemptContext(parts));
}

function gate<Value>() {
  let open: (value: Value) => void = () => {};
  const opened = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('an attempt begins', () => {
  test('the greeting is late → not before it came', async () => {
    const late = gate<void>();
    const { provider, server } = await scriptedProvider([
      async (peer) => {
        await late.opened;
        await greet(peer);
        await takeMessage(peer);
      },
    ]);
    const begin = vi.fn(() => true);
    const sent = sendTo(provider, 'a', { begin });
    await vi.waitFor(() => expect(server.peers).toHaveLength(1));
    expect(begin).not.toHaveBeenCalled();
    late.open();
    expect(await sent).toMatchObject({ kind: 'sent' });
    expect(begin).toHaveBeenCalled();
  });

  test('the mark is being written → not a byte of the email has been sent', async () => {
    const { provider, server } = await scriptedProvider([takesAll('PIPELINING')]);
    const mark = gate<boolean>();
    const begin = vi.fn(() => mark.opened);
    const sent = sendTo(provider, 'a', { begin });
    await vi.waitFor(() => expect(begin).toHaveBeenCalled());
    expect(server.peers[0]!.received).not.toContain('MAIL');
    mark.open(true);
    expect(await sent).toMatchObject({ kind: 'sent' });
  });

  test('the claim is another’s → nothing of it is sent, and the next email has its connection', async () => {
    const { provider, server } = await scriptedProvider([takesAll('PIPELINING')], ONE);
    const [taken, next] = await Promise.all([
      sendTo(provider, 'taken', { begin: async () => false }),
      sendTo(provider, 'next'),
    ]);
    expect(taken).toMatchObject({ kind: 'deferred', code: 'CLAIM_LOST', uncounted: true });
    expect(next).toMatchObject({ kind: 'sent' });
    expect(server.peers).toHaveLength(1);
    expect(server.peers[0]!.received).not.toContain('taken@');
  });

  test('the mark takes longer than the attempt may → ends at its time', async () => {
    const { provider } = await scriptedProvider([takesAll()]);
    const begin = () => new Promise<boolean>(() => {});
    const sendDeadlineAt = Date.now() + 100;
    const outcome = await sendTo(provider, 'a', { begin, sendDeadlineAt });
    expect(outcome).toMatchObject({ kind: 'deferred', code: 'ETIMEDOUT' });
  });

  test('behind a slow answer → not while it waits in line, though it might begin early', async () => {
    const answer = gate<void>();
    const { provider, server } = await scriptedProvider(
      [
        async (peer) => {
          await greet(peer, 'PIPELINING');
          await takeEnvelope(peer);
          await peer.message();
          await answer.opened;
          peer.say('250 2.0.0 Ok: queued as ABC123');
          await takeMessage(peer);
        },
      ],
      ONE,
    );
    const first = sendTo(provider, 'a');
    const begin = vi.fn(() => true);
    const second = sendTo(provider, 'b', { begin, mayBeginEarly: true });
    await vi.waitFor(() => expect(server.peers[0]?.received).toContain('\r\n.\r\n'));
    expect(begin).not.toHaveBeenCalled();
    answer.open();
    expect(await Promise.all([first, second])).toMatchObject([{ kind: 'sent' }, { kind: 'sent' }]);
    expect(begin).toHaveBeenCalled();
  });

  test.each([
    [true, 1],
    [false, 0],
  ])(
    'behind quick answers, early: %s → its envelope leaves with the dot before it: %i',
    async (early, ahead) => {
      const { provider, server } = await scriptedProvider([takesAll('PIPELINING')], ONE);
      await sendTo(provider, 'first');
      const parts = { begin: () => Promise.resolve(true), mayBeginEarly: early };
      await Promise.all([sendTo(provider, 'a', parts), sendTo(provider, 'b', parts)]);
      const together = server.peers[0]!.chunks.filter((chunk) => /\r\n\.\r\nMAIL FROM:/.test(chunk));
      expect(together).toHaveLength(ahead);
    },
  );
});

describe('how many have a connection at once', () => {
  test('before the first connection is open → none', async () => {
    const { provider } = await scriptedProvider([takesAll('PIPELINING')]);
    expect(provider.servedAtOnce).toBe(0);
  });

  test('a server that greets and then says nothing → none, although its connection is open', async () => {
    const { provider, server } = await scriptedProvider([async (peer) => greet(peer, 'PIPELINING')], ONE);
    const stop = new AbortController();
    const sent = sendTo(provider, 'a', { signal: stop.signal });
    await vi.waitFor(() => expect(server.peers[0]?.received).toContain('MAIL'));
    expect(provider.servedAtOnce).toBe(0);
    stop.abort();
    await sent;
  });

  test('a server that answers at once → those that its connections serve in some milliseconds, less the line', async () => {
    const { provider } = await scriptedProvider([takesAll('PIPELINING')], ONE);
    await sendTo(provider, 'a');
    const resting = provider.servedAtOnce!;
    expect(resting).toBeGreaterThan(1);
    const sends = Array.from({ length: 3 }, (_, at) => sendTo(provider, `b${at}`));
    expect(provider.servedAtOnce).toBeLessThan(resting);
    await Promise.all(sends);
  });

  test('a server whose last answer took a second → only what is idle', async () => {
    const late = gate<void>();
    let messages = 0;
    let passedMs = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passedMs };
    const { provider } = await scriptedProvider(
      [
        async (peer) => {
          await greet(peer, 'PIPELINING');
          await takeEnvelope(peer);
          await peer.message();
          messages++;
          await late.opened;
          peer.say('250 2.0.0 Ok: queued as ABC123');
        },
      ],
      ONE,
      clock,
    );
    const sent = sendTo(provider, 'a');
    await vi.waitFor(() => expect(messages).toBe(1));
    passedMs = 1000;
    late.open();
    await sent;
    expect(provider.servedAtOnce).toBe(1);
  });

  test('closed → none', async () => {
    const { provider } = await scriptedProvider([takesAll('PIPELINING')]);
    await sendTo(provider, 'a');
    await provider.close();
    expect(provider.servedAtOnce).toBe(0);
  });
});

describe('one that gives way', () => {
  test('among ten others → gets every fourth connection and not the last', async () => {
    const { provider, server } = await scriptedProvider([takesAll('PIPELINING')], ONE);
    const held = sendTo(provider, 'held');
    const suspects = ['s1', 's2'].map((name) => sendTo(provider, name, { givesWay: true }));
    const others = Array.from({ length: 8 }, (_, at) => sendTo(provider, `o${at}`));
    const outcomes = await Promise.all([held, ...suspects, ...others]);
    expect(outcomes.every(({ kind }) => kind === 'sent')).toBe(true);
    const order = [...server.peers[0]!.received.matchAll(/RCPT TO:<(\w+)@/g)].map(([, name]) => name);
    expect(order.indexOf('s1')).toBeGreaterThan(2);
    expect(order.indexOf('s2')).toBeLessThan(order.length - 1);
  });
});
