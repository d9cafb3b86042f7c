import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/kernel/index.js';
import { createResendProvider } from '../../src/providers/index.js';
import { freePort, waitFor } from '../services/index.js';
import { attempt, email, providerContract } from './provider.contract.js';

/** The Resend provider against the Resend server of `emulate`, written by others. */
providerContract('resend', resendAccount);

test('the same email twice, as after an unknown outcome → one email and the same id', async () => {
  const { provider, received, stop } = await resendAccount();
  onTestFinished(stop);
  const sent = email();
  const first = await provider.send(sent, attempt());
  expect(first).toMatchObject({ kind: 'sent' });
  expect(await provider.send(sent, attempt())).toMatchObject({
    kind: 'sent',
    providerMessageId: first.kind === 'sent' ? first.providerMessageId : '',
  });
  expect(await received()).toBe(1);
});

test('the same id with another content → rejected, nothing more is sent', async () => {
  const { provider, received, stop } = await resendAccount();
  onTestFinished(stop);
  const sent = email();
  await provider.send(sent, attempt());
  expect(await provider.send({ ...sent, subject: 'another' }, attempt())).toMatchObject({
    kind: 'rejected',
    code: 'RESEND_INVALID_IDEMPOTENT_REQUEST',
  });
  expect(await received()).toBe(1);
});

test('every script, names and several recipients → stored as they were meant', async () => {
  const { provider, stored, stop } = await resendAccount();
  onTestFinished(stop);
  const sent = email({
    subject: '확인 코드 – Grüße 🎉',
    to: [{ address: 'reader@example.net', name: 'Jürgen' }],
    cc: [{ address: 'copy@example.net' }],
    recipients: ['reader@example.net', 'copy@example.net'],
  });
  await provider.send(sent, attempt());
  expect((await stored())[0]).toMatchObject({
    from: 'Sender <sender@example.com>',
    to: ['Jürgen <reader@example.net>'],
    cc: ['copy@example.net'],
    subject: sent.subject,
    html: sent.html,
    text: sent.text,
  });
});

async function resendAccount() {
  const port = await freePort();
  const program = fileURLToPath(new URL('../../node_modules/emulate/dist/index.js', import.meta.url));
  const child = spawn(process.execPath, [program, 'start', '--service', 'resend', '--port', String(port)], {
    stdio: 'ignore',
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  const apiKey = 'test_token_admin';
  const stored = async () => {
    const response = await fetch(`${baseUrl}/emails`, { headers: { authorization: `Bearer ${apiKey}` } });
    return ((await response.json()) as { data: unknown[] }).data;
  };
  await waitFor(() => stored().then(() => true), { timeoutMs: 20_000, what: 'emulate to answer' });
  return {
    provider: createResendProvider({ apiKey, baseUrl }, { clock: systemClock }),
    stored,
    received: async () => (await stored()).length,
    stop: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
