import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openApplication, sparing } from './app.js';
import { defaultSender } from './assemble-routes.js';
import { loadConfig } from './config.js';
import { startWarnings } from './doctor.js';
import { createLogger, ManualClock } from './kernel/index.js';
import { createPostrider } from './postrider.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postrider-app-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (env: Record<string, string>) =>
  openApplication(loadConfig({ file: null, env: { POSTRIDER_LOG_LEVEL: 'silent', ...env } }));

describe('a folder without data', () => {
  test.each([
    ['status', 'overview', []],
    ['status of an email', 'get', ['01890000-0000-7000-8000-000000000001']],
    ['pause', 'pause', ['all', '', null]],
    ['resume', 'resume', ['all', '']],
  ] as const)('%s → STORE_NOT_MIGRATED, nothing is made', async (_case, call, args) => {
    const dataDir = join(folder, 'data');
    const application = await open({ POSTRIDER_DATA_DIR: dataDir });
    const act = application[call] as (...args: readonly unknown[]) => Promise<unknown>;
    await expect(act(...args)).rejects.toMatchObject({
      code: 'STORE_NOT_MIGRATED',
      message: `There is no data in ${dataDir} yet.`,
    });
    expect(application.isFresh()).toBe(true);
    await application.stop({ deadlineMs: 0 });
    expect(existsSync(dataDir)).toBe(false);
  });

  test('doctor → notes it and that the console sends nothing, makes nothing', async () => {
    const dataDir = join(folder, 'data');
    const application = await open({ POSTRIDER_DATA_DIR: dataDir });
    expect(await application.doctor()).toMatchObject([
      { check: 'store', ok: true, note: true, message: `nothing in ${dataDir} yet` },
      { check: 'engine', ok: true, message: 'postgres: claims straight from the store' },
      {
        check: 'provider',
        ok: true,
        note: true,
        message: expect.stringContaining('nothing leaves this machine'),
      },
      { check: 'sender', ok: true },
      { check: 'brand', ok: true, note: true, message: expect.stringContaining('example names') },
    ]);
    await application.stop({ deadlineMs: 0 });
    expect(existsSync(dataDir)).toBe(false);
  });
});

test.each([
  ['send', (application: Opened) => application.send({ to: 'a@example.com', subject: 'x', text: 'x' })],
  ['migrate', (application: Opened) => application.migrate(() => {})],
  ['serve', (application: Opened) => application.serve({ roles: ['worker'], hold: false })],
  [
    'dev',
    (application: Opened) =>
      application.dev(
        () => {},
        () => {},
      ),
  ],
])('%s in a folder that cannot be written → INVALID_CONFIG that names the setting', async (_case, act) => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const dataDir = join(file, 'data');
  const application = await open({ POSTRIDER_DATA_DIR: dataDir, PORT: '0', DEV_SMTP_PORT: '0' });
  await expect(act(application)).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: `The data folder ${dataDir} cannot be written (ENOTDIR); set POSTRIDER_DATA_DIR.`,
  });
  await application.stop({ deadlineMs: 0 });
});

type Opened = Awaited<ReturnType<typeof openApplication>>;

test('doctor while the server is away → said once, with where and why', async () => {
  const application = await open({ DATABASE_URL: 'postgres://shop:hunter2@127.0.0.1:1/shop' });
  const findings = await application.doctor();
  expect(findings.filter((finding) => !finding.ok)).toEqual([
    {
      check: 'store',
      ok: false,
      code: 'STORE_UNAVAILABLE',
      message: 'The database does not answer at 127.0.0.1:1 (ECONNREFUSED).',
      help: expect.stringMatching(/^Check that the database runs/),
    },
  ]);
  expect(JSON.stringify(findings)).not.toContain('hunter2');
  await application.stop({ deadlineMs: 0 });
});

test.each([
  [{ EMAIL_MODE: 'console' }, 'console', [/nothing leaves this machine, emails count as sent/]],
  [
    { SMTP_HOST: 'mail.example' },
    'smtp',
    [/no default sender: set SMTP_FROM_EMAIL/, /set POSTRIDER_PUBLIC_URL and/, /set POSTRIDER_HASH_KEY/],
  ],
  [
    {
      SMTP_HOST: 'mail.example',
      SMTP_FROM_EMAIL: 'a@example.com',
      POSTRIDER_PUBLIC_URL: 'https://mail.example.com',
      POSTRIDER_LINK_KEYS: 'a key of sixteen!',
      POSTRIDER_HASH_KEY: 'a key of sixteen!',
    },
    'smtp',
    [],
  ],
])('start with %j → its warnings', (env, name, said) => {
  const config = loadConfig({ file: null, env });
  const routes = [{ name: 'default', provider: { name } }] as never;
  expect(startWarnings(config, { routes })).toEqual(said.map((text) => expect.stringMatching(text)));
});

test('requests refused while the database is away → one line a second with the number of the others', () => {
  const lines: Array<Record<string, unknown>> = [];
  const clock = new ManualClock();
  const logger = sparing(
    createLogger({ destination: { write: (line) => lines.push(JSON.parse(line)) } }),
    clock,
  );
  const fail = (code: string) => logger.error({ code }, 'http request failed');
  for (let at = 0; at < 5; at++) fail('STORE_UNAVAILABLE');
  fail('INTERNAL');
  clock.advance(1000);
  fail('STORE_UNAVAILABLE');
  clock.advance(1000);
  fail('STORE_UNAVAILABLE');
  expect(lines.map(({ code, unsaid }) => [code, unsaid])).toEqual([
    ['STORE_UNAVAILABLE', undefined],
    ['INTERNAL', undefined],
    ['STORE_UNAVAILABLE', 4],
    ['STORE_UNAVAILABLE', undefined],
  ]);
});

test.each([
  [{ address: 'none' }, 'from.address'],
  [{ address: 'shop@example.com', name: 'two\nlines' }, 'from.name'],
])('createPostrider from %j → refused with the field, not with every email', (from, field) => {
  expect(() => createPostrider({ from })).toThrow(expect.objectContaining({ code: 'INVALID_EMAIL', field }));
});

test('a default sender with a domain beyond ASCII → kept in its ASCII form', () => {
  const config = loadConfig({
    file: null,
    env: { SMTP_FROM_EMAIL: 'shop@bücher.example', SMTP_FROM_NAME: 'Shop' },
  });
  expect(defaultSender(config)).toEqual({ address: 'shop@xn--bcher-kva.example', name: 'Shop' });
});
