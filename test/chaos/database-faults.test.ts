import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  describeWith,
  freePort,
  type PostgresServer,
  startPrivatePostgres,
  waitFor,
} from '../services/index.js';
import { closedDoor, type Ground, openGround, plainEmails } from './ground/open-ground.js';
import { cpuMsOf, type Served } from './ground/spawn-serve.js';

/** PostgreSQL crashes under load, is away for a while or not there at the start: the same processes carry on. */
const EMAILS = 1500;
const AWAY_MS = 4000;

let server: PostgresServer;
let ground: Ground;

describeWith('postgres')('PostgreSQL', () => {
  beforeEach(async () => {
    // Unwritten marks stay unwritten until something waits for the disk: what a crash may lose, it loses.
    server = await startPrivatePostgres({ settings: { wal_writer_delay: '10s' } });
    ground = await openGround(server.url);
  });
  afterEach(async () => {
    await ground.close();
    await server.remove();
  });

  it('crashes under load → 503 at once, under 5 % CPU, then the same processes finish without loss', async () => {
    ground.sink.beforeAnswer = () => new Promise((resolve) => setTimeout(() => resolve(undefined), 10));
    const port = await freePort();
    const served = [
      ground.serve({ roles: 'api,worker', port, instance: 'one' }),
      ground.serve({ roles: 'worker', instance: 'two' }),
    ];
    await waitFor(async () => (await post(port)).status === 202, { timeoutMs: 15_000, what: 'the API' });
    await ground.accept(plainEmails(EMAILS));
    await waitFor(() => ground.sink.copies() > EMAILS / 5, { timeoutMs: 20_000, what: 'load' });

    await server.stop('immediate');
    const away = await post(port);
    expect(away).toMatchObject({ status: 503, code: 'STORE_UNAVAILABLE', retryAfter: '1' });
    expect(away.ms).toBeLessThan(4000);
    const used = await cpuWhileAway(served);
    console.log(`CPU while the database is away: ${used.map((part) => `${part.toFixed(1)} %`).join(', ')}`);
    for (const part of used) expect(part).toBeLessThan(5);
    const still = await post(port);
    expect(still).toMatchObject({ status: 503, retryAfter: '1' });
    expect(still.ms).toBeLessThan(4000);

    await server.start();
    const backAt = performance.now();
    await ground.finished();
    console.log(`the rest was sent within ${Math.round(performance.now() - backAt)} ms of its return`);
    for (const process of served) expect(process.running(), process.output()).toBe(true);
    expect((await post(port)).status).toBe(202);
    await ground.finished();
    const workers = await ground.query<{ instance: string }>(
      'select instance from postrider.workers order by instance',
    );
    // However long it was away, nobody is taken over for that.
    expect(workers).toEqual([{ instance: 'one' }, { instance: 'two' }]);
    expect(await ground.problems()).toEqual([]);
    expect(await ground.query(`select id from postrider.email_logs where status <> 'sent'`)).toEqual([]);
  });

  it('is away at the start of a process → it answers 503, and works when the database comes', async () => {
    const port = await freePort();
    await ground.accept(plainEmails(3));
    await server.stop('fast');
    const served = ground.serve({ roles: 'api,worker', port });
    await waitFor(async () => (await post(port)).status === 503, { timeoutMs: 15_000, what: 'a 503' });
    await waitFor(() => /worker could not begin/.test(served.output()), {
      timeoutMs: 10_000,
      what: 'the worker to have tried in vain',
    });
    await server.start();
    await ground.finished();
    expect(served.running()).toBe(true);
    expect((await post(port)).status).toBe(202);
    await ground.finished();
    expect(await ground.problems()).toEqual([]);
  });

  it('crashes while an answer is awaited → the email cannot be cancelled as if it had not begun', async () => {
    const door = closedDoor();
    ground.sink.beforeAnswer = () => door.opened.then(() => undefined);
    ground.serve({});
    const [id] = await ground.accept(plainEmails(1));
    await waitFor(() => ground.sink.copies() === 1, { timeoutMs: 15_000, everyMs: 1, what: 'the email' });
    await server.stop('immediate');
    await server.start();
    const refusal = await waitFor(() => ground.caller.cancel(id!).catch((error: { code: string }) => error), {
      timeoutMs: 5000,
      what: 'the database',
    });
    expect(refusal).toMatchObject({ code: 'EMAIL_NOT_CANCELLABLE' });
    door.open();
    await ground.finished();
    expect(await ground.problems()).toEqual([]);
  });
});

interface Answer {
  status: number;
  code: string | undefined;
  retryAfter: string | null;
  ms: number;
}

async function post(port: number): Promise<Answer> {
  const began = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/v1/email/send`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ to: 'api@example.com', subject: 'api', text: 'x' }),
  });
  const ms = performance.now() - began;
  const body = (await response.json()) as { code?: string; emailId?: string };
  if (body.emailId) ground.accepted.push(body.emailId);
  return { status: response.status, code: body.code, retryAfter: response.headers.get('retry-after'), ms };
}

/** The one place where time is what is tested: percent of one processor, per process. */
async function cpuWhileAway(served: Served[]): Promise<number[]> {
  const began = performance.now();
  const before = served.map((process) => cpuMsOf(process.pid));
  await waitFor(() => performance.now() - began >= AWAY_MS, { timeoutMs: AWAY_MS * 2, what: 'some seconds' });
  const elapsed = performance.now() - began;
  return served.map((process, i) => ((cpuMsOf(process.pid) - before[i]!) / elapsed) * 100);
}
