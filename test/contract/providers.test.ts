import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import { createConsoleProvider, createSmtpProvider, type SmtpOptions } from '../../src/providers/index.js';
import { attempt, email, type ProviderUnderTest, providerContract } from './provider.contract.js';

providerContract('console', async () => ({ provider: createConsoleProvider({ logger: silentLogger }) }));
providerContract('smtp in plaintext', () => realServer({ disabledCommands: ['STARTTLS', 'AUTH'] }));
providerContract('smtp with STARTTLS and AUTH', () => realServer({ onAuth: checkPassword }, CREDENTIALS));
providerContract('smtp with implicit TLS', () =>
  realServer({ secure: true, onAuth: checkPassword }, { ...CREDENTIALS, secure: true }),
);
providerContract('smtp with AUTH LOGIN only', () =>
  realServer({ onAuth: checkPassword, authMethods: ['LOGIN'] }, CREDENTIALS),
);

const CREDENTIALS: Partial<SmtpOptions> = {
  username: 'postrider',
  password: 'pässword',
  // The server under test presents a certificate it signed itself.
  tls: { rejectUnauthorized: false },
};

const checkPassword: SMTPServerOptions['onAuth'] = (auth, _session, done) => {
  const right = auth.username === CREDENTIALS.username && auth.password === CREDENTIALS.password;
  done(right ? null : new Error('wrong password'), right ? { user: auth.username } : undefined);
};

describe('smtp against a real server', () => {
  test('wrong password → misconfigured, about the account, password not in the conversation', async () => {
    const { provider } = await forThisTest({ onAuth: checkPassword }, { ...CREDENTIALS, password: 'wrong' });
    const outcome = await provider.send(email(), attempt());
    expect(outcome).toMatchObject({
      kind: 'misconfigured',
      scope: 'account',
      code: 'SMTP_535',
      trace: { stage: 'auth' },
    });
    const said = JSON.stringify(outcome);
    expect(said).toContain('AUTH PLAIN ****');
    expect(said).not.toContain(Buffer.from('\0postrider\0wrong').toString('base64'));
  });

  test('a certificate nobody vouches for → misconfigured at starttls', async () => {
    const { provider } = await forThisTest({ onAuth: checkPassword }, { ...CREDENTIALS, tls: {} });
    expect(await provider.send(email(), attempt())).toMatchObject({
      kind: 'misconfigured',
      scope: 'route',
      trace: { stage: 'starttls' },
    });
  });

  test('sixty at once over two encrypted sessions → each once, and every message under its own envelope', async () => {
    const { provider, messages } = await forThisTest(
      { onAuth: checkPassword },
      { ...CREDENTIALS, maxConnections: 2 },
    );
    const addresses = Array.from({ length: 60 }, (_, index) => `reader${index}@example.net`);
    const outcomes = await Promise.all(
      addresses.map((address) =>
        provider.send(email({ to: [{ address }], recipients: [address] }), attempt()),
      ),
    );
    expect(outcomes.filter(({ kind }) => kind !== 'sent')).toEqual([]);
    expect(messages.flatMap(({ recipients }) => recipients).sort()).toEqual([...addresses].sort());
    for (const { raw, recipients } of messages) expect(raw.toString()).toContain(`To: ${recipients[0]}\r\n`);
  });

  test('dots, long lines and bcc → arrive as they were meant', async () => {
    const { provider, messages } = await forThisTest({ disabledCommands: ['STARTTLS', 'AUTH'] });
    const text = `.\n..\nfrom\n${'x'.repeat(3000)}\n한글`;
    const recipients = ['reader@example.net', 'hidden@example.net'];
    const sent = email({ text, bcc: [{ address: 'hidden@example.net' }], recipients });
    expect(await provider.send(sent, attempt())).toMatchObject({ kind: 'sent' });
    expect(messages[0]!.recipients).toEqual(recipients);
    const read = await PostalMime.parse(messages[0]!.raw);
    expect(read.text?.trimEnd()).toBe(text);
    expect(read.messageId).toBe(sent.messageId);
    expect(messages[0]!.raw.toString()).not.toContain('hidden');
  });
});

interface Received {
  raw: Buffer;
  recipients: string[];
}

async function forThisTest(options: SMTPServerOptions, client: Partial<SmtpOptions> = {}) {
  const running = await realServer(options, client);
  onTestFinished(async () => {
    await running.provider.close();
    await running.stop();
  });
  return running;
}

async function realServer(options: SMTPServerOptions, client: Partial<SmtpOptions> = {}) {
  const messages: Received[] = [];
  const server = new SMTPServer({
    logger: false,
    ...options,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        messages.push({ raw: Buffer.concat(chunks), recipients });
        done();
      });
    },
  });
  // A client that refuses a certificate breaks the handshake; the server survives it.
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const provider = createSmtpProvider({ host: '127.0.0.1', port, ...client }, { clock: systemClock });
  return {
    provider,
    messages,
    received: () => messages.length,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  } satisfies ProviderUnderTest & { messages: Received[] };
}
