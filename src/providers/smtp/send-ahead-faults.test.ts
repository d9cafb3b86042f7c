import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { attemptContext, outgoingEmail } from '../outgoing-email.fixture.js';
import type { Provider } from '../provider.js';
import { scriptedProvider, takesAll } from './scripted-provider.fixture.js';
import { greet, type Peer, type Script, takeEnvelope, takeMessage } from './scripted-server.fixture.js';
import { WaitingPlace } from './waiting-place.js';

/** What can go wrong for the email whose envelope has left before it has the connection. */
function sendTo(provider: Provider, name: string, context = attemptContext()) {
  return provider.send(outgoingEmail({ to: [{ address: `${name}@example.net` }] }), context);
}

const asksAhead = (peer: Peer) => peer.chunks.some((chunk) => /\r\n\.\r\nMAIL FROM:/.test(chunk));

/** Takes one message, then the next up to its final dot, and answers that and the envelope behind it. */
function answersAhead(...answers: string[]): Script {
  return async (peer) => {
    await greet(peer, 'PIPELINING');
    await takeMessage(peer);
    await takeEnvelope(peer);
    await peer.message();
    peer.say(...answers);
  };
}

describe('an envelope sent ahead is refused', () => {
  test('421, enough messages for one connection → a new one, and envelopes still go ahead', async () => {
    const { provider, server } = await scriptedProvider(
      [answersAhead('250 ok', '421 4.7.0 enough for one connection'), takesAll('PIPELINING')],
      { maxConnections: 1 },
    );
    const outcomes = await Promise.all([...'abcdef'].map((name) => sendTo(provider, name)));
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array(6).fill('sent'));
    expect(server.peers).toHaveLength(2);
    expect(asksAhead(server.peers[1]!)).toBe(true);
  });

  test('450 for its sender in any order → deferred, and envelopes still go ahead', async () => {
    const { provider, server } = await scriptedProvider(
      [
        answersAhead('250 ok', '450 4.7.1 sender too fast'),
        async (peer) => {
          await greet(peer, 'PIPELINING');
          await peer.line(/^MAIL FROM:/);
          peer.say('450 4.7.1 sender too fast', '503 no', '503 no');
          await peer.line(/^RCPT/);
          await peer.line(/^DATA/);
          await peer.line(/^RSET/);
          peer.say('250 ok');
          for (;;) await takeMessage(peer);
        },
      ],
      { maxConnections: 1 },
    );
    const outcomes = await Promise.all([...'abcdefg'].map((name) => sendTo(provider, name)));
    expect(outcomes[2]).toMatchObject({ kind: 'deferred', code: 'SMTP_450', scope: 'message' });
    expect(outcomes.filter(({ kind }) => kind === 'sent')).toHaveLength(6);
    expect(server.peers).toHaveLength(2);
    expect(asksAhead(server.peers[1]!)).toBe(true);
  });
});

describe('the message before it gets no answer', () => {
  test('another connection is free → it goes there, long before its time is over', async () => {
    const muteOnceAskedAhead: Script = async (peer) => {
      await greet(peer, 'PIPELINING');
      for (;;) {
        await takeEnvelope(peer);
        await peer.message();
        if (asksAhead(peer)) return;
        peer.say('250 ok');
      }
    };
    const { provider } = await scriptedProvider([muteOnceAskedAhead, muteOnceAskedAhead, takesAll()], {
      maxConnections: 2,
    });
    await Promise.all([...'ab'].map((name) => sendTo(provider, name)));
    const stop = new AbortController();
    const sends = [...'xyz'].map((name) => sendTo(provider, name, attemptContext({ signal: stop.signal })));
    let sent = 0;
    for (const send of sends) void send.then(({ kind }) => (sent += kind === 'sent' ? 1 : 0));
    // One is never answered, and another was to follow it.
    await expect.poll(() => sent, { timeout: 20_000 }).toBe(2);
    stop.abort();
    const kinds = (await Promise.all(sends)).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(['sent', 'sent', 'unknown']);
    expect(await sendTo(provider, 'after')).toMatchObject({ kind: 'sent' });
  });

  test('the stop comes as it is given its connection → given back, not sent', async () => {
    const { provider, server } = await scriptedProvider([takesAll('PIPELINING')], { maxConnections: 1 });
    const stop = new AbortController();
    const give = WaitingPlace.prototype.give;
    const spy = vi.spyOn(WaitingPlace.prototype, 'give').mockImplementation(function (
      this: WaitingPlace,
      connection,
    ) {
      give.call(this, connection);
      if (this.message.envelope.recipients[0]!.address.startsWith('c@')) stop.abort();
    });
    onTestFinished(() => spy.mockRestore());
    const [, , third] = await Promise.all([
      sendTo(provider, 'a'),
      sendTo(provider, 'b'),
      sendTo(provider, 'c', attemptContext({ signal: stop.signal })),
    ]);
    expect(third).toMatchObject({ kind: 'deferred', code: 'STOPPING', uncounted: true });
    expect(server.peers[0]!.received.match(/\r\n\.\r\n/g)).toHaveLength(2);
    expect(await sendTo(provider, 'd')).toMatchObject({ kind: 'sent' });
  });
});
