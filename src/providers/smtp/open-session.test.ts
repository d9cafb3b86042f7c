import { describe, expect, test } from 'vitest';
import { systemClock } from '../../kernel/index.js';
import { attemptContext, outgoingEmail } from '../outgoing-email.fixture.js';
import { createSmtpProvider } from './create-smtp-provider.js';
import { scriptedProvider, takesAll } from './scripted-provider.fixture.js';
import { greet } from './scripted-server.fixture.js';

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
