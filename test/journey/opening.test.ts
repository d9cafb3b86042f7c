import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openApplication } from '../../src/app.js';
import { loadConfig } from '../../src/config.js';
import { spawnServe } from '../chaos/ground/spawn-serve.js';
import { createEmptyDatabase, freePort, queryOnce, type TestDatabase } from '../services/index.js';

/** What the commands do with a database that is not ready for them. */
let database: TestDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase();
});
afterAll(() => database.drop());

async function open(url: string) {
  const env = { DATABASE_URL: url, POSTRIDER_LOG_LEVEL: 'silent' };
  const application = await openApplication(loadConfig({ file: null, env }));
  onTestFinished(() => application.stop({ deadlineMs: 0 }));
  return application;
}

const withRole = (role: string) => Object.assign(new URL(database.url), { username: role }).href;
const schemas = async () =>
  (await queryOnce(database.url, `select 1 from pg_namespace where nspname = 'postrider'`)).length;

test('doctor, status, pause and resume on an empty database → told what is missing, nothing is made', async () => {
  const application = await open(database.url);
  const findings = await application.doctor();
  expect(findings.filter(({ ok }) => !ok)).toMatchObject([
    { check: 'schema', code: 'STORE_NOT_MIGRATED', message: 'missing; run postrider migrate' },
  ]);
  const missing = { code: 'STORE_NOT_MIGRATED' };
  await expect(application.overview()).rejects.toMatchObject(missing);
  await expect(application.pause('all', '', null)).rejects.toMatchObject(missing);
  await expect(application.resume('all', '')).rejects.toMatchObject(missing);
  expect(await schemas()).toBe(0);
});

test('a database or role that does not exist → STORE_REFUSED; serve ends before it says that it listens', async () => {
  const wrong = Object.assign(new URL(database.url), { pathname: '/postrider_nowhere' }).href;
  for (const url of [wrong, withRole('postrider_nobody')]) {
    await expect((await open(url)).overview()).rejects.toMatchObject({
      code: 'STORE_REFUSED',
      message: expect.stringMatching(/^The database refuses: .*postrider_no(where|body)/),
    });
  }
  const served = spawnServe({ roles: 'api', databaseUrl: wrong, smtpPort: 1, port: await freePort() });
  onTestFinished(() => served.kill('SIGKILL'));
  expect(await served.gone).toBe(1);
  expect(served.output()).toContain(
    'STORE_REFUSED The database refuses: database "postrider_nowhere" does not exist.',
  );
  expect(served.output()).not.toMatch(/API listening|INTERNAL|\n\s+at /);
});

test('a role without the right to make the schema → STORE_REFUSED', async () => {
  const role = `${database.name}_guest`;
  await queryOnce(database.url, `create role ${role} login password 'guest'`);
  onTestFinished(async () => {
    await queryOnce(database.url, `drop role ${role}`);
  });
  const url = new URL(withRole(role));
  url.password = 'guest';
  const application = await open(url.href);
  await expect(application.migrate(() => {})).rejects.toMatchObject({
    code: 'STORE_REFUSED',
    message: expect.stringContaining('permission denied'),
  });
});

test('nobody works and sending is paused → doctor marks it, and no more once it is resumed and a worker runs', async () => {
  const application = await open(database.url);
  await application.migrate(() => {});
  await application.pause('all', '', null);
  const workers = async () => (await application.doctor()).find(({ check }) => check === 'workers');
  expect(await workers()).toMatchObject({ ok: true, note: true, message: '0 alive; paused: all' });
  await application.serve({ roles: ['worker'], hold: false });
  expect(await workers()).toMatchObject({ note: true, message: '1 alive; paused: all' });
  expect(await application.resume('all', '')).toBe(1);
  expect(await workers()).toEqual({ check: 'workers', ok: true, message: '1 alive' });
});
