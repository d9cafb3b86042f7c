import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpApp } from '../../src/doors/http/index.js';
import { httpRooms } from '../../src/http-rooms.js';
import { createPostrider } from '../../src/index.js';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import { startPrivatePostgres } from '../services/index.js';

/** A server that still holds its connections and answers nothing: a full disk queue, a frozen machine, a cut cable. */
test('a database that hangs → 503 with Retry-After in time at every door a caller waits at, and it carries on', async (context) => {
  const server = await startPrivatePostgres();
  onTestFinished(() => server.remove());
  const pidFile = join(server.dataDir, 'postmaster.pid');
  if (!existsSync(pidFile)) return context.skip('the server runs in a container: its processes are not ours');
  const postrider = createPostrider({
    database: server.url,
    from: { address: 'noreply@example.com' },
    logger: silentLogger,
    config: { database: { patienceMs: 800 } },
  });
  const app = createHttpApp({
    rooms: httpRooms(postrider),
    logger: silentLogger,
    clock: systemClock,
    apiKey: null,
    bodyLimitBytes: 1_000_000,
  });
  const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const began = performance.now();
    const response = await app.request(
      path,
      {
        method,
        headers: { ...(method === 'POST' && { 'Content-Type': 'application/json' }), ...headers },
        ...(path.endsWith('/send') && {
          body: JSON.stringify({ to: 'a@example.net', subject: 's', text: 't' }),
        }),
      },
      { remoteAddress: '127.0.0.1' },
    );
    const body = (await response.json()) as { emailId?: string; code?: string; help?: string };
    return { ...body, response, ms: performance.now() - began };
  };
  const { emailId, response } = await ask('POST', '/v1/email/send', { 'Idempotency-Key': 'first' });
  expect(response.status).toBe(202);

  const resume = freeze(Number(readFileSync(pidFile, 'utf8').split('\n')[0]));
  onTestFinished(resume);
  const asked: Array<Parameters<typeof ask>> = [
    ['POST', '/v1/email/send'],
    ['POST', '/v1/email/send', { 'Idempotency-Key': 'cut-off' }],
    ['GET', `/v1/emails/${emailId}`],
    ['GET', `/v1/emails/${emailId}/events`],
    ['POST', `/v1/emails/${emailId}/cancel`],
  ];
  for (const request of asked) {
    const away = await ask(...request);
    expect(away.response.status).toBe(503);
    expect(away).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      help: expect.stringContaining('Idempotency-Key'),
    });
    expect(away.response.headers.get('retry-after')).toBe('1');
    expect(away.ms).toBeLessThan(5000);
  }
  const together = await Promise.all(Array.from({ length: 30 }, () => ask('POST', '/v1/email/send')));
  for (const away of together) {
    expect(away.response.status).toBe(503);
    expect(away.ms).toBeLessThan(5000);
  }
  expect((await ask('GET', '/health/ready')).response.status).toBe(503);

  resume();
  expect((await ask('POST', '/v1/email/send', { 'Idempotency-Key': 'cut-off' })).response.status).toBe(202);
  expect((await ask('GET', `/v1/emails/${emailId}`)).response.status).toBe(200);
  await postrider.stop();
});

/** Stops the server's first process and every child of it; what it gives starts them again. */
function freeze(first: number): () => void {
  const pids = [first, ...childrenOf(first)];
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGCONT');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // ended since
      }
    }
  };
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const file = `/proc/${pid}/stat`;
      if (!existsSync(file)) return false;
      // pid (name) state parent …; the name may hold blanks
      return Number(readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ')[1]) === parent;
    });
}
