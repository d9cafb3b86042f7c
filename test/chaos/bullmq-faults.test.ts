import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeWith, type RedisServer, startPrivateRedis, waitFor } from '../services/index.js';
import { type Ground, openGround, plainEmails } from './ground/open-ground.js';

/** The engine bullmq with a Redis that forgets, dies and comes back while two workers deliver. */
const EMAILS = 1500;
const ANSWER_MS = 20;

let server: RedisServer;
let ground: Ground;
/** A store of its own each, so a place of its own in Redis. */
let tests = 0;

describeWith('postgres', 'redis')('two workers on BullMQ under load', () => {
  beforeAll(async () => {
    server = await startPrivateRedis();
  });
  afterAll(() => server.remove());
  beforeEach(async () => {
    await server.start();
    ground = await openGround();
    tests += 1;
    ground.sink.beforeAnswer = () =>
      new Promise((resolve) => setTimeout(() => resolve(undefined), ANSWER_MS));
  });
  afterEach(() => ground.close());

  async function work(): Promise<void> {
    const config = {
      engine: { name: 'bullmq' as const, ringAgainMs: 2000 },
      redis: { url: server.url, prefix: `faults-${tests}` },
    };
    const workers = ['one', 'two'].map((instance) => ground.child({ instance, config }));
    await Promise.all(workers.map((worker) => worker.next('ready')));
  }
  const delivered = (count: number) =>
    waitFor(() => ground.sink.copies() >= count, { timeoutMs: 60_000, what: `${count} emails at the sink` });
  const sentOnce = async () => {
    await ground.finished(90_000);
    expect(await ground.problems()).toEqual([]);
    expect(ground.sink.copies()).toBe(ground.accepted.length);
    expect(await ground.query(`select id from postrider.email_logs where status <> 'sent'`)).toEqual([]);
  };

  it('Redis is emptied → every email is sent, and once', async () => {
    await work();
    await ground.accept(plainEmails(EMAILS));
    await delivered(EMAILS / 10);
    const redis = new Redis(server.url);
    for (const share of [2, 4, 6]) {
      await delivered((EMAILS * share) / 10);
      await redis.flushall();
    }
    redis.disconnect();
    await sentOnce();
  });

  it('Redis is killed and started again, empty → what is accepted meanwhile is accepted, and all is sent once', async () => {
    await work();
    await ground.accept(plainEmails(EMAILS));
    await delivered(EMAILS / 10);
    await server.kill();
    await ground.accept(plainEmails(200, 'meanwhile'));
    // What was claimed before is still delivered, and nothing is after it.
    await waitFor(
      async () =>
        (await ground.query('select 1 from postrider.email_queue where owner is not null limit 1')).length ===
        0,
      { timeoutMs: 30_000, what: 'the claims to be done' },
    );
    await server.start();
    await sentOnce();
  });

  it('one worker is killed → the other sends what it held', async () => {
    await work();
    await ground.accept(plainEmails(EMAILS));
    await delivered(EMAILS / 10);
    const [victim] = await ground.query<{ pid: number }>(
      `select pid from postrider.workers where instance = 'one' and ended_at is null`,
    );
    process.kill(victim!.pid, 'SIGKILL');
    await ground.finished(60_000);
    expect(await ground.problems()).toEqual([]);
    expect(await ground.query(`select id from postrider.email_logs where status <> 'sent'`)).toEqual([]);
  });
});
