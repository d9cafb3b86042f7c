import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createEmptyDatabase, freePort, queryOnce, waitFor } from '../services/index.js';

const MAIN = fileURLToPath(new URL('../../.build/bundled/programs/main.js', import.meta.url));

/** The command line as a person runs it; what `input` says is piped in. */
function run(env: Record<string, string>, args: string[], input = '') {
  const child = spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env.PATH, ...env } });
  let out = '';
  let notes = '';
  child.stdout.on('data', (data) => {
    out += data;
  });
  child.stderr.on('data', (data) => {
    notes += data;
  });
  child.stdin.end(input);
  const gone = once(child, 'exit').then(([code]) => ({ code, out: out.trim(), notes: notes.trim() }));
  return { child, gone, said: () => out };
}

test('on PostgreSQL: first admin, tenant, key, revocation → done, and all of it in the audit log as the command line', async () => {
  const database = await createEmptyDatabase();
  onTestFinished(() => database.drop());
  const env = { DATABASE_URL: database.url, LOG_LEVEL: 'silent' };
  const made = await run(env, ['admin', 'create', 'ada@example.com'], 'correct horse battery\n').gone;
  expect(made).toMatchObject({ code: 0, out: 'ada@example.com can sign in as admin.' });
  const weak = await run(env, ['admin', 'create', 'bob@example.com'], 'short\n').gone;
  expect(weak.code).toBe(2);
  expect(weak.notes).toContain('password');
  expect((await run(env, ['tenants', 'create', 'acme', '--domain', 'acme.example']).gone).code).toBe(0);
  const key = await run(env, ['keys', 'create', 'acme', '--name', 'shop']).gone;
  expect(key.out).toMatch(/^re_[A-Za-z0-9_-]{43}$/);
  const [id] = /[0-9a-f-]{36}/.exec(key.notes)!;
  expect((await run(env, ['keys', 'revoke', id!]).gone).code).toBe(0);
  expect((await run(env, ['keys', 'list', 'acme']).gone).out).toContain('revoked');
  expect((await run(env, ['pause', 'tenant:acme']).gone).code).toBe(0);
  expect((await run(env, ['suppressions', 'add', 'bob@example.net', '--company', 'acme']).gone).code).toBe(0);
  expect((await run(env, ['dlq', 'list']).gone).code).toBe(0);
  const log = await queryOnce<{ action: string }>(
    database.url,
    `select action from postrider.audit_log where actor_name = 'command line' order by id`,
  );
  expect(log.map(({ action }) => action)).toEqual([
    'admin.create',
    'tenant.create',
    'key.create',
    'key.revoke',
    'postrider pause',
    'postrider suppressions add',
  ]);
  const code = await run(env, ['admin', 'code', 'ada@example.com']).gone;
  expect(code).toMatchObject({ code: 1, notes: expect.stringContaining('SIGN_IN_NOT_BEGUN') });
});

test('a command that makes its own store → it works as before, and its act is noted once there is a log', async () => {
  const database = await createEmptyDatabase();
  onTestFinished(() => database.drop());
  const env = { DATABASE_URL: database.url, LOG_LEVEL: 'silent' };
  expect((await run(env, ['suppressions', 'add', 'bob@example.net']).gone).code).toBe(0);
  const log = await queryOnce(database.url, 'select actor_name, action, target from postrider.audit_log');
  expect(log).toEqual([
    { actor_name: 'command line', action: 'postrider suppressions add', target: '(address)' },
  ]);
});

test('beside `postrider dev` on the embedded store: account and sign-in → the code is on its console and in its inbox', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-access-'));
  const port = await freePort();
  const env = {
    POSTRIDER_DATA_DIR: folder,
    PORT: String(port),
    DEV_SMTP_PORT: '0',
    LOG_LEVEL: 'silent',
  };
  const dev = run(env, ['dev']);
  onTestFinished(async () => {
    dev.child.kill('SIGKILL');
    await dev.gone;
    await rm(folder, { recursive: true, force: true });
  });
  await waitFor(() => dev.said().includes('is running'), {
    timeoutMs: 180_000,
    what: 'dev to run',
  });
  const made = await run(env, ['admin', 'create', 'ada@example.com'], 'correct horse battery\n').gone;
  expect(made).toMatchObject({ code: 0, out: 'ada@example.com can sign in as admin.' });
  const base = `http://127.0.0.1:${port}`;
  const post = (path: string, body: object, cookie = '') =>
    fetch(base + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Cookie: cookie },
      body: JSON.stringify(body),
    });
  const begun = await post('/auth/sign-in', { email: 'ada@example.com', password: 'correct horse battery' });
  expect(begun.status).toBe(200);
  const said = await waitFor(() => /The code of ada@example\.com is (\d{6})\./.exec(dev.said()), {
    timeoutMs: 10_000,
    what: 'the code on the console',
  });
  const inInbox = await waitFor(
    async () => {
      const { messages } = (await (await fetch(`${base}/dev/inbox/messages`)).json()) as {
        messages: Array<{ id: string }>;
      };
      if (!messages[0]) return undefined;
      return (await fetch(`${base}/dev/inbox/messages/${messages[0].id}/raw`)).text();
    },
    { timeoutMs: 10_000, what: 'the email in the inbox' },
  );
  expect(inInbox).toContain(said[1]);
  const given = await run(env, ['admin', 'code', 'ada@example.com']).gone;
  expect(given.out).toMatch(/^\d{6}$/);
  const cookie = begun.headers.getSetCookie()[0]!.split(';')[0]!;
  expect((await post('/auth/code', { code: given.out }, cookie)).status).toBe(200);
});
