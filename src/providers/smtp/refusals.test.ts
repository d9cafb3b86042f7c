import { describe, expect, test } from 'vitest';
import { systemClock } from '../../kernel/index.js';
import { attemptContext, outgoingEmail } from '../outgoing-email.fixture.js';
import { scriptedProvider, takesAll } from './scripted-provider.fixture.js';
import { greet, takeEnvelope, takeMessage } from './scripted-server.fixture.js';

describe('refusals', () => {
  test('421 at the greeting → deferred, about the route', async () => {
    const { provider } = await scriptedProvider([
      async (peer) => peer.say('421 4.3.2 try again in 5 minutes'),
    ]);
    const before = systemClock.now();
    const outcome = await provider.send(outgoingEmail(), attemptContext());
    expect(outcome).toMatchObject({
      kind: 'deferred',
      scope: 'route',
      code: 'SMTP_421',
      category: 'TRANSIENT_ERROR',
      trace: { stage: 'greeting' },
    });
    expect(outcome.kind === 'deferred' && outcome.retryAt! - before).toBeGreaterThanOrEqual(300_000);
  });

  test('554 at the greeting → misconfigured, so that no email pays for it', async () => {
    const { provider } = await scriptedProvider([async (peer) => peer.say('554 no service for you')]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'misconfigured',
      scope: 'route',
      code: 'SMTP_554',
    });
  });

  test.each([['PIPELINING'], ['HELP']])(
    '550 for one of two recipients (%s) → sent, one refused',
    async (extension) => {
      const { provider } = await scriptedProvider([
        async (peer) => {
          await greet(peer, extension);
          await peer.line(/^MAIL/);
          peer.say('250 ok');
          await peer.line(/^RCPT TO:<a@/);
          peer.say('550 5.1.1 no such user');
          await peer.line(/^RCPT TO:<b@/);
          peer.say('250 ok');
          await peer.line(/^DATA/);
          peer.say('354 go');
          await peer.message();
          peer.say('250 ok');
        },
      ]);
      const to = [{ address: 'a@example.net' }, { address: 'b@example.net' }];
      const outcome = await provider.send(outgoingEmail({ to }), attemptContext());
      expect(outcome).toMatchObject({
        kind: 'sent',
        refused: [{ address: 'a@example.net', code: 'SMTP_550', message: '5.1.1 no such user' }],
      });
      expect(outcome).not.toHaveProperty('remaining');
    },
  );

  test('450 for one of two recipients → sent, one remaining', async () => {
    const { provider } = await scriptedProvider([
      async (peer) => {
        await greet(peer, 'PIPELINING');
        for (const command of [/^MAIL/, /^RCPT/, /^RCPT/, /^DATA/]) await peer.line(command);
        peer.say('250 ok', '250 ok', '450 later', '354 go');
        await peer.message();
        peer.say('250 ok');
      },
    ]);
    const to = [{ address: 'a@example.net' }, { address: 'b@example.net' }];
    expect(await provider.send(outgoingEmail({ to }), attemptContext())).toMatchObject({
      kind: 'sent',
      remaining: [{ address: 'b@example.net', code: 'SMTP_450' }],
    });
  });

  test('greylisted at RCPT → deferred, about the recipient, until the server wants to see it again', async () => {
    const { provider } = await scriptedProvider([
      async (peer) => {
        await greet(peer);
        await peer.line(/^MAIL/);
        peer.say('250 ok');
        await peer.line(/^RCPT/);
        peer.say('451 4.7.1 Greylisting in action, please come back in 5 minutes');
        await peer.line(/^RSET/);
      },
    ]);
    const before = systemClock.now();
    const outcome = await provider.send(outgoingEmail(), attemptContext());
    expect(outcome).toMatchObject({ kind: 'deferred', scope: 'recipient', code: 'SMTP_451' });
    expect(outcome.kind === 'deferred' && outcome.retryAt! - before).toBeGreaterThanOrEqual(300_000);
  });

  test.each([['PIPELINING'], ['HELP']])(
    'the only recipient refused (%s) → rejected, and the next email uses the connection after RSET',
    async (extension) => {
      const { provider, server } = await scriptedProvider([
        async (peer) => {
          await greet(peer, extension);
          await peer.line(/^MAIL/);
          peer.say('250 ok');
          await peer.line(/^RCPT/);
          peer.say('550 5.1.1 no such user');
          if (extension === 'PIPELINING') {
            await peer.line(/^DATA/);
            peer.say('554 no valid recipients');
          }
          await peer.line(/^RSET$/);
          peer.say('250 flushed');
          await takeMessage(peer);
        },
      ]);
      expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
        kind: 'rejected',
        scope: 'recipient',
        code: 'SMTP_550',
        trace: { stage: 'rcpt', responseCode: 550 },
      });
      expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({ kind: 'sent' });
      expect(server.peers).toHaveLength(1);
    },
  );

  test('DATA accepted although no recipient was → no message follows, the connection ends', async () => {
    const { provider, server } = await scriptedProvider([
      async (peer) => {
        await greet(peer, 'PIPELINING');
        for (const command of [/^MAIL/, /^RCPT/, /^DATA/]) await peer.line(command);
        peer.say('250 ok', '550 no', '354 go');
        await peer.message();
      },
    ]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({ kind: 'rejected' });
    await server.peers[0]!.closed;
    expect(server.peers[0]!.received).not.toContain('\r\n.\r\n');
  });

  test.each([
    ['451 later', { kind: 'deferred', code: 'SMTP_451', scope: 'message' }],
    ['552 full', { kind: 'rejected', code: 'SMTP_552', scope: 'message' }],
  ])('%s after the dot → an answer, not unknown', async (reply, expected) => {
    const { provider } = await scriptedProvider([
      async (peer) => {
        await greet(peer);
        await takeEnvelope(peer);
        await peer.message();
        peer.say(reply);
      },
    ]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject(expected);
  });

  test('larger than the server takes → rejected before MAIL', async () => {
    const { provider, server } = await scriptedProvider([takesAll('SIZE 100')]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'rejected',
      code: 'MESSAGE_TOO_LARGE',
      scope: 'message',
    });
    expect(server.peers[0]!.received).not.toContain('MAIL');
  });

  test('address beyond ASCII, server without SMTPUTF8 → rejected; with it → sent with the parameter', async () => {
    const to = [{ address: 'jürgen@bücher.example' }];
    const without = await scriptedProvider([takesAll('8BITMIME')]);
    expect(await without.provider.send(outgoingEmail({ to }), attemptContext())).toMatchObject({
      kind: 'rejected',
      code: 'SMTPUTF8_UNSUPPORTED',
      scope: 'recipient',
    });
    const withIt = await scriptedProvider([takesAll('8BITMIME', 'SMTPUTF8')]);
    expect(await withIt.provider.send(outgoingEmail({ to }), attemptContext())).toMatchObject({
      kind: 'sent',
    });
    const wire = Buffer.from(withIt.server.peers[0]!.received, 'latin1').toString('utf8');
    expect(wire).toContain('MAIL FROM:<sender@example.com> BODY=8BITMIME SMTPUTF8\r\n');
    expect(wire).toContain('RCPT TO:<jürgen@xn--bcher-kva.example>\r\n');
  });

  test('only the domain beyond ASCII → written in ASCII, no SMTPUTF8 needed', async () => {
    const { provider, server } = await scriptedProvider([takesAll()]);
    const to = [{ address: 'reader@bücher.example' }];
    expect(await provider.send(outgoingEmail({ to }), attemptContext())).toMatchObject({ kind: 'sent' });
    expect(server.peers[0]!.received).toContain('RCPT TO:<reader@xn--bcher-kva.example>\r\n');
  });

  test('control character in an address or header → rejected without a connection', async () => {
    const { provider, server } = await scriptedProvider([takesAll()]);
    const bad = outgoingEmail({ to: [{ address: 'a@example.net>\r\nRCPT TO:<b@example.net' }] });
    expect(await provider.send(bad, attemptContext())).toMatchObject({
      kind: 'rejected',
      code: 'INVALID_EMAIL',
    });
    const header = outgoingEmail({ subject: 'a\r\nBcc: b@example.net' });
    expect(await provider.send(header, attemptContext())).toMatchObject({
      kind: 'rejected',
      code: 'INVALID_HEADER',
      category: 'VALIDATION_ERROR',
    });
    expect(server.peers).toHaveLength(0);
  });
});
