import { describe, expect, test } from 'vitest';
import { systemClock } from '../../kernel/index.js';
import { attemptContext, outgoingEmail } from '../outgoing-email.fixture.js';
import { createSmtpProvider } from './create-smtp-provider.js';
import { scriptedProvider, takesAll } from './scripted-provider.fixture.js';
import { greet, type Peer } from './scripted-server.fixture.js';

describe('credentials', () => {
  const credentials = { username: 'postrider', password: 'correct horse' };

  test('server without STARTTLS → misconfigured, nothing secret was sent', async () => {
    const { provider, server } = await scriptedProvider([takesAll('AUTH PLAIN LOGIN')], credentials);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'misconfigured',
      scope: 'route',
      code: 'TLS_REQUIRED',
    });
    expect(server.peers[0]!.received).not.toContain('AUTH');
  });

  test('plaintext behind the answer to STARTTLS → refused', async () => {
    const { provider } = await scriptedProvider(
      [
        async (peer) => {
          await greet(peer, 'STARTTLS', 'AUTH PLAIN');
          await peer.line(/^STARTTLS$/);
          peer.say('220 go', '250-injected', '250 AUTH PLAIN');
        },
      ],
      credentials,
    );
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'misconfigured',
      code: 'STARTTLS_INJECTION',
      trace: { stage: 'starttls' },
    });
  });

  test.each([
    ['hangs up', (peer: Peer) => peer.drop()],
    ['answers in plaintext', (peer: Peer) => peer.raw('250 not TLS at all\r\n'.repeat(4))],
  ])(
    'server %s in the TLS handshake → deferred at starttls, nothing secret was sent',
    async (_case, fault) => {
      const { provider, server } = await scriptedProvider(
        [
          async (peer) => {
            await greet(peer, 'STARTTLS', 'AUTH PLAIN');
            await peer.line(/^STARTTLS$/);
            peer.say('220 go');
            await peer.moreBytes();
            fault(peer);
          },
        ],
        credentials,
      );
      expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
        kind: 'deferred',
        scope: 'route',
        trace: { stage: 'starttls' },
      });
      expect(server.peers[0]!.received).not.toContain('AUTH');
    },
  );

  test('credentials with requireTls false → refused at construction', () => {
    expect(() =>
      createSmtpProvider(
        { host: 'localhost', port: 25, ...credentials, requireTls: false },
        { clock: systemClock },
      ),
    ).toThrow(/never sent without TLS/);
  });

  test('a username without a password → refused at construction', () => {
    expect(() =>
      createSmtpProvider({ host: 'localhost', port: 25, username: 'x' }, { clock: systemClock }),
    ).toThrow(/both/);
  });
});
