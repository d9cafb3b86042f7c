import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RecordingSink, startRecordingSink } from '../chaos/ground/recording-sink.js';
import { type Served, spawnServe } from '../chaos/ground/spawn-serve.js';
import { freePort } from '../services/free-port.js';
import { createTestDatabase, type TestDatabase, waitFor } from '../services/index.js';

/** `postrider serve` with two regions in one process, as its settings say, and the command line beside it. */
const MAIN = fileURLToPath(new URL('../../.build/bundled/programs/main.js', import.meta.url));
let databases: TestDatabase[];
let sink: RecordingSink;
let served: Served;
let base: string;
let env: Record<string, string>;

beforeAll(async () => {
  databases = [await createTestDatabase(), await createTestDatabase()];
  sink = await startRecordingSink();
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  const [ind1, usa1] = databases.map(({ url }) => url);
  env = { POSTRIDER_REGIONS: JSON.stringify({ ind1, usa1 }), POSTRIDER_LOG_LEVEL: 'debug' };
  served = spawnServe({
    ...{ roles: 'api,worker,scheduler', databaseUrl: '', smtpPort: sink.port, port },
    env,
  });
  await waitFor(async () => (await fetch(`${base}/health/ready`)).ok, { timeoutMs: 30_000, what: 'the API' });
});
afterAll(async () => {
  served?.kill('SIGKILL');
  await sink?.stop();
  await Promise.all((databases ?? []).map((database) => database.drop()));
});

async function send(parts: object): Promise<string> {
  const body = { to: 'person-of-a-region@example.net', subject: 'Hello', text: 'Hello', ...parts };
  const answer = await fetch(`${base}/v1/email/send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { emailId: string }).emailId;
}

test('emails of both regions → delivered by one process, which logs no address and stops in order', async () => {
  const ids = [await send({ region: 'ind1' }), await send({ region: 'usa1' }), await send({})];
  await waitFor(() => ids.every((id) => sink.taken.has(id)), { timeoutMs: 20_000, what: 'delivery' });
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'status', ids[1]!], {
    env: { PATH: process.env.PATH, ...env },
  });
  expect(stdout).toContain('sent');
  const all = (await (await fetch(`${base}/admin/emails?region=all`)).json()) as {
    emails: Array<{ id: string; region: string }>;
  };
  expect(all.emails.map(({ id, region }) => [id, region])).toEqual([
    [ids[2], 'ind1'],
    [ids[1], 'usa1'],
    [ids[0], 'ind1'],
  ]);
  const doctor = await promisify(execFile)(process.execPath, [MAIN, 'doctor'], {
    env: { ...process.env, ...env, SMTP_FROM_EMAIL: 'noreply@example.com' },
  });
  expect(doctor.stdout + doctor.stderr).toContain('workers of usa1');
  served.kill('SIGTERM');
  expect(await served.gone).toBe(0);
  expect(served.output()).toContain('"region":"usa1"');
  expect(served.output()).not.toContain('person-of-a-region');
});
