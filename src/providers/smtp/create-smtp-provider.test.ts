import { describe, expect, onTestFinished, test } from 'vitest';
import { onKillPoint } from '../../kernel/index.js';
import { attemptContext, outgoingEmail } from '../outgoing-email.fixture.js';
import { scriptedProvider, takesAll } from './scripted-provider.fixture.js';
import { type Peer, takeMessage } from './scripted-server.fixture.js';

describe('a whole transaction', () => {
  test('server offers PIPELINING → the envelope leaves in one write and the email is sent', async () => {
    const { provider, server } = await scriptedProvider([takesAll('PIPELINING', 'SIZE 1000000', '8BITMIME')]);
    const outcome = await provider.send(outgoingEmail(), attemptContext());
    expect(outcome).toMatchObject({
      kind: 'sent',
      providerMessageId: 'ABC123',
      trace: { stage: 'reply', responseCode: 250 },
    });
    const envelope = server.peers[0]!.chunks[1]!;
    expect(envelope).toMatch(
      /^MAIL FROM:<sender@example\.com> SIZE=\d+\r\nRCPT TO:<reader@example\.net>\r\nDATA\r\n$/,
    );
  });

  test('server offers nothing → each command waits for its answer', async () => {
    const { provider, server } = await scriptedProvider([takesAll()]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({ kind: 'sent' });
    const { chunks } = server.peers[0]!;
    expect(chunks.slice(1, 4)).toEqual([
      'MAIL FROM:<sender@example.com>\r\n',
      'RCPT TO:<reader@example.net>\r\n',
      'DATA\r\n',
    ]);
  });

  test('server answers only to HELO → the email is sent', async () => {
    const { provider } = await scriptedProvider([
      async (peer) => {
        peer.say('220 old');
        await peer.line(/^EHLO /);
        peer.say('502 what');
        await peer.line(/^HELO /);
        peer.say('250 hi');
        await takeMessage(peer);
      },
    ]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({ kind: 'sent' });
  });

  test('replies cut into single bytes and several lines → understood', async () => {
    const drip = async (peer: Peer, text: string) => {
      for (const byte of `${text}\r\n`) {
        peer.raw(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const { provider } = await scriptedProvider([
      async (peer) => {
        await drip(peer, '220-first\r\n220-second\r\n220 third');
        await peer.line(/^EHLO /);
        await drip(peer, '250-test\r\n250-PIPELINING\r\n250 SIZE');
        for (const command of [/^MAIL/, /^RCPT/, /^DATA/]) await peer.line(command);
        await drip(peer, '250-a\r\n250 b\r\n250 c\r\n354-go\r\n354 on');
        await peer.message();
        await drip(peer, '250-thanks\r\n250 bye');
      },
    ]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'sent',
      trace: { response: 'thanks bye' },
      providerMessageId: '<0192f0c1-7b2e-7000-8000-000000000001@example.com>',
    });
  });

  test('lines that begin with a dot → stuffed on the wire', async () => {
    const { provider, server } = await scriptedProvider([takesAll('PIPELINING')]);
    const text = 'first\n.\n..two\r.QUIT\nlast';
    expect(await provider.send(outgoingEmail({ text, html: '' }), attemptContext())).toMatchObject({
      kind: 'sent',
    });
    const wire = server.peers[0]!.received;
    expect(wire).toContain('first\r\n..\r\n...two\r\n..QUIT\r\nlast\r\n.\r\n');
    expect(wire).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
  });

  test('a large body → the final dot comes in a write of its own, after mayDeliver', async () => {
    const { provider, server } = await scriptedProvider([takesAll('PIPELINING')]);
    let askedBefore = -1;
    const outcome = await provider.send(
      outgoingEmail({ text: 'x'.repeat(70).concat('\n').repeat(5000), html: '' }),
      attemptContext({
        mayDeliver: () => {
          askedBefore = server.peers[0]!.received.indexOf('\r\n.\r\n');
          return true;
        },
      }),
    );
    expect(outcome).toMatchObject({ kind: 'sent' });
    expect(askedBefore).toBe(-1);
  });

  test('kill points → before the dot, after it, at the reply, in this order', async () => {
    const names: string[] = [];
    onKillPoint((name) => names.push(name));
    onTestFinished(() => onKillPoint(undefined));
    const { provider } = await scriptedProvider([takesAll('PIPELINING')]);
    await provider.send(outgoingEmail(), attemptContext());
    expect(names).toEqual(['smtp:before-dot', 'smtp:after-dot', 'smtp:reply']);
  });
});

test('testConnection → says what is ready, or at which stage it failed', async () => {
  const good = await scriptedProvider([takesAll()]);
  expect(await good.provider.testConnection()).toMatchObject({ ok: true });
  const bad = await scriptedProvider([async (peer) => peer.say('421 not now')]);
  expect(await bad.provider.testConnection()).toEqual({
    ok: false,
    message: `127.0.0.1:${bad.server.port} at greeting: SMTP_421: not now`,
  });
});
