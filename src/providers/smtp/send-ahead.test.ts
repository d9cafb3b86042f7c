import { describe, expect, test } from 'vitest';
import { systemClock } from '../../kernel/index.js';
import { attemptContext, outgoingEmail } from '../outgoing-email.fixture.js';
import type { Provider } from '../provider.js';
import { scriptedProvider, takesAll } from './scripted-provider.fixture.js';
import { greet, type Peer, takeEnvelope, takeMessage } from './scripted-server.fixture.js';

/** One connection. The first email teaches the pool that answers come quickly; the others queue behind it. */
const ONE = { maxConnections: 1 };

function sendTo(provider: Provider, name: string, context = attemptContext()) {
  return provider.send(outgoingEmail({ to: [{ address: `${name}@example.net` }] }), context);
}

/** Greets, takes the first email, and then the second up to its final dot, which the third's envelope follows. */
async function untilSecondDot(peer: Peer): Promise<void> {
  await greet(peer, 'PIPELINING');
  await takeMessage(peer);
  await takeEnvelope(peer);
  await peer.message();
}

/** Peers show each byte as a character. */
const asUtf8 = (bytes: string) => Buffer.from(bytes, 'latin1').toString();

describe('the next envelope leaves with the final dot', () => {
  test('three emails on one connection → the third envelope came with the second message', async () => {
    const { provider, server } = await scriptedProvider([takesAll('PIPELINING')], ONE);
    const outcomes = await Promise.all(['a', 'b', 'c'].map((name) => sendTo(provider, name)));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['sent', 'sent', 'sent']);
    const together = server.peers[0]!.chunks.filter((chunk) =>
      /\r\n\.\r\nMAIL FROM:[\s\S]*DATA\r\n$/.test(chunk),
    );
    expect(together).toHaveLength(1);
    expect(together[0]).toContain('RCPT TO:<c@example.net>');
    expect(outcomes[2]!.trace.conversation).toContain('C: RCPT TO:<c@example.net>');
    expect(outcomes[1]!.trace.conversation).not.toContain('C: RCPT TO:<c@example.net>');
  });

  test.each([
    ['is longer than the room kept for it', `${'a'.repeat(60)}@${`${'b'.repeat(60)}.`.repeat(3)}example`],
    ['is not ASCII', 'grüße@example.net'],
  ])('the envelope behind %s → message and envelope arrive as they were written', async (_what, address) => {
    const { provider, server } = await scriptedProvider([takesAll('PIPELINING', 'SMTPUTF8')], ONE);
    const last = outgoingEmail({ from: { address }, to: [{ address }] });
    const outcomes = await Promise.all([
      ...['a', 'b'].map((name) => sendTo(provider, name)),
      provider.send(last, attemptContext()),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['sent', 'sent', 'sent']);
    const received = server.peers[0]!.chunks.join('');
    expect(received.match(/\r\n\.\r\n/g)).toHaveLength(3);
    const named = [...received.matchAll(/^RCPT TO:<(.*)>\r$/gm)].map(([, rcpt]) => rcpt!);
    const wanted = ['a@example.net', 'b@example.net', address];
    expect(named.map(asUtf8)).toEqual(wanted);
  });

  test('no PIPELINING → every command waits for its answer', async () => {
    const { provider, server } = await scriptedProvider([takesAll()], ONE);
    await Promise.all(['a', 'b', 'c'].map((name) => sendTo(provider, name)));
    expect(server.peers[0]!.chunks.some((chunk) => /\.\r\nMAIL/.test(chunk))).toBe(false);
  });

  test('message refused after its dot → the email behind it is sent all the same', async () => {
    const { provider, server } = await scriptedProvider(
      [
        async (peer) => {
          await untilSecondDot(peer);
          peer.say('554 5.7.1 no');
          await takeMessage(peer);
        },
      ],
      ONE,
    );
    const [, second, third] = await Promise.all(['a', 'b', 'c'].map((name) => sendTo(provider, name)));
    expect(second).toMatchObject({ kind: 'rejected', code: 'SMTP_554' });
    expect(third).toMatchObject({ kind: 'sent' });
    expect(server.peers).toHaveLength(1);
  });

  test.each([
    ['closes after the dot', (peer: Peer) => peer.drop(), { kind: 'unknown' }],
    ['answers and closes', (peer: Peer) => closeAfter(peer, '250 ok'), { kind: 'sent' }],
    ['says 421 and closes', (peer: Peer) => closeAfter(peer, '421 4.7.0 enough'), { code: 'SMTP_421' }],
  ])('server %s → the email behind it is sent on another connection', async (_case, end, expected) => {
    const { provider, server } = await scriptedProvider(
      [
        async (peer) => {
          await untilSecondDot(peer);
          end(peer);
        },
        takesAll('PIPELINING'),
      ],
      ONE,
    );
    const [, second, third] = await Promise.all(['a', 'b', 'c'].map((name) => sendTo(provider, name)));
    expect(second).toMatchObject(expected);
    expect(third).toMatchObject({ kind: 'sent' });
    expect(server.peers).toHaveLength(2);
  });

  test('server refuses what came ahead → sent on a new connection, and nothing is sent ahead any more', async () => {
    const { provider, server } = await scriptedProvider(
      [
        async (peer) => {
          await untilSecondDot(peer);
          peer.say('250 ok', '554 5.5.0 Error: SMTP protocol synchronization');
        },
        takesAll('PIPELINING'),
      ],
      ONE,
    );
    const outcomes = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => sendTo(provider, name)));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['sent', 'sent', 'sent', 'sent', 'sent']);
    expect(server.peers[1]!.chunks.some((chunk) => /\.\r\nMAIL/.test(chunk))).toBe(false);
  });

  test('sender refused on the new connection too → rejected with the answer of the server', async () => {
    const { provider } = await scriptedProvider(
      [
        async (peer) => {
          await untilSecondDot(peer);
          peer.say('250 ok', '550 5.7.1 sender unknown');
        },
        async (peer) => {
          await greet(peer, 'PIPELINING');
          await peer.line(/^MAIL FROM:/);
          peer.say('550 5.7.1 sender unknown', '503 no', '503 no');
        },
      ],
      ONE,
    );
    const outcomes = await Promise.all(['a', 'b', 'c'].map((name) => sendTo(provider, name)));
    expect(outcomes[2]).toMatchObject({ kind: 'rejected', code: 'SMTP_550' });
  });

  test('deadline passes behind a slow answer → deferred, uncounted, and its envelope is never completed', async () => {
    let answer = () => {};
    const { provider, server } = await scriptedProvider(
      [
        async (peer) => {
          await untilSecondDot(peer);
          await new Promise<void>((resolve) => {
            answer = resolve;
          });
          peer.say('250 ok', '250 ok', '250 ok', '354 go');
          await peer.closed;
        },
        takesAll('PIPELINING'),
      ],
      ONE,
    );
    const first = sendTo(provider, 'a');
    const second = sendTo(provider, 'b');
    const third = sendTo(provider, 'c', attemptContext({ sendDeadlineAt: systemClock.now() + 150 }));
    expect(await third).toMatchObject({ kind: 'deferred', code: 'POOL_TIMEOUT', uncounted: true });
    answer();
    expect(await Promise.all([first, second])).toMatchObject([{ kind: 'sent' }, { kind: 'sent' }]);
    await server.peers[0]!.closed;
    expect(server.peers[0]!.received).not.toMatch(/DATA\r\nQUIT|c@example\.net>\r\nDATA\r\n[\s\S]/);
    expect(await sendTo(provider, 'd')).toMatchObject({ kind: 'sent' });
  });

  test('the claim is lost meanwhile → the envelope that came ahead gets no message', async () => {
    const { provider, server } = await scriptedProvider([takesAll('PIPELINING')], ONE);
    const outcomes = await Promise.all([
      sendTo(provider, 'a'),
      sendTo(provider, 'b'),
      sendTo(provider, 'c', attemptContext({ mayDeliver: () => false })),
    ]);
    expect(outcomes[2]).toMatchObject({ kind: 'deferred', code: 'LEASE_LOST' });
    await server.peers[0]!.closed;
    expect(server.peers[0]!.received.match(/\r\n\.\r\n/g)).toHaveLength(2);
  });

  test('provider closed while one waits behind a message → that one is given back, the message finishes', async () => {
    let answer = () => {};
    const { provider } = await scriptedProvider(
      [
        async (peer) => {
          await untilSecondDot(peer);
          await new Promise<void>((resolve) => {
            answer = resolve;
          });
          peer.say('250 ok');
        },
      ],
      ONE,
    );
    const first = sendTo(provider, 'a');
    const second = sendTo(provider, 'b');
    const third = sendTo(provider, 'c');
    await first;
    await expect.poll(() => answer.name).not.toBe('answer');
    await provider.close();
    expect(await third).toMatchObject({ kind: 'deferred', code: 'STOPPING' });
    answer();
    expect(await second).toMatchObject({ kind: 'sent' });
  });
});

function closeAfter(peer: Peer, answer: string): void {
  peer.say(answer);
  peer.drop();
}
