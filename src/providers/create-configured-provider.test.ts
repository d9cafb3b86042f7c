import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { invalidConfig, resolveSettings } from '../kernel/config/index.js';
import { silentLogger, systemClock } from '../kernel/index.js';
import { createConfiguredProvider } from './create-configured-provider.js';
import { attemptContext, outgoingEmail } from './outgoing-email.fixture.js';
import { providerRules, providerSettings } from './settings.js';
import { takesAll } from './smtp/scripted-provider.fixture.js';
import { scriptedServer } from './smtp/scripted-server.fixture.js';

function provider(env: Record<string, string>) {
  const resolved = resolveSettings(providerSettings, { environment: env, file: null, rules: providerRules });
  if (!resolved.ok) throw invalidConfig(resolved.problems);
  return createConfiguredProvider(resolved.config, { clock: systemClock, logger: silentLogger });
}

test.each([
  ['console', {}],
  ['console', { EMAIL_MODE: 'console', SMTP_HOST: 'mail.example.com' }],
  ['smtp', { SMTP_HOST: 'mail.example.com' }],
  ['resend', { EMAIL_MODE: 'resend', RESEND_API_KEY: 're_a' }],
  ['ses', { EMAIL_MODE: 'ses', AWS_REGION: 'eu-north-1' }],
])('%s named by %j → that provider', async (name, env) => {
  const made = provider(env);
  expect(made.name).toBe(name);
  await made.close();
});

test.each([
  [{ EMAIL_MODE: 'resend' }, /RESEND_API_KEY/],
  [{ EMAIL_MODE: 'smtp' }, /SMTP_HOST/],
  [{ POSTRIDER_DKIM_DOMAIN: 'example.com' }, /all three or none/],
])('%j → INVALID_CONFIG that names what is missing', (env, message) => {
  expect(() => provider(env)).toThrow(message);
});

test('a DKIM key file → emails leave signed; one that is not there → INVALID_CONFIG', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-dkim-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const keyFile = join(folder, 'key.pem');
  const dkim = {
    POSTRIDER_DKIM_DOMAIN: 'example.com',
    POSTRIDER_DKIM_SELECTOR: 's1',
    POSTRIDER_DKIM_KEY_FILE: keyFile,
  };
  expect(() => provider({ SMTP_HOST: '127.0.0.1', ...dkim })).toThrow(/DKIM key cannot be read/);
  writeFileSync(keyFile, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const server = await scriptedServer(takesAll('PIPELINING'));
  const made = provider({ SMTP_HOST: '127.0.0.1', SMTP_PORT: String(server.port), ...dkim });
  onTestFinished(async () => {
    await made.close();
    await server.stop();
  });
  expect(await made.send(outgoingEmail(), attemptContext())).toMatchObject({ kind: 'sent' });
  expect(server.peers[0]!.received).toMatch(/DKIM-Signature: v=1; a=ed25519-sha256; .* d=example\.com;/);
});
