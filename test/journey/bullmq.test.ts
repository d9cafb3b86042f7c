import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { createBullmqBroker, type HeardBell } from '../../src/dispatch/index.js';
import { createPostrider, type Outcome } from '../../src/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import { createTestDatabase, describeWith, startPrivateRedis, waitFor } from '../services/index.js';
import { compiled } from './ground/open-embedded.js';
import { type Journey, openJourney } from './ground/open-journey.js';

/** The engine bullmq from accept to the end, and what Redis sees of it. */
const prefix = `journey-${process.pid}`;
const DEFERRED: Outcome = {
  ...{ kind: 'deferred', scope: 'route', code: 'ECONNREFUSED', category: 'TRANSIENT_ERROR', message: 'no' },
  trace: { stage: 'connect' },
};
const REJECTED: Outcome = {
  ...{ kind: 'rejected', scope: 'recipient', code: '550', category: 'PERMANENT_ERROR', message: 'never' },
  trace: { stage: 'rcpt' },
};

let journey: Journey;
let redis: Redis;
let queue: Queue;

describeWith('postgres', 'redis')('an email through BullMQ', () => {
  beforeAll(() => {
    redis = new Redis(inject('redisUrl')!, { maxRetriesPerRequest: null });
    queue = new Queue('email-send', { connection: redis, prefix });
  });
  beforeEach(async () => {
    journey = await openJourney({
      config: { engine: { name: 'bullmq' }, redis: { url: inject('redisUrl')!, prefix } },
    });
  });
  afterEach(async () => {
    await journey.close();
    // The next one has another store.
    await redis.del(`${prefix}:email-send:store`);
  });
  afterAll(async () => {
    await queue.obliterate({ force: true });
    await queue.close();
    redis.disconnect();
  });

  const to = (name: string) => ({ to: `${name}@example.com`, subject: name, text: 'x' });
  /** Every key and value of the queue, as one text. */
  async function everything(): Promise<string> {
    const parts: string[] = [];
    for (const key of await redis.keys(`${prefix}:*`)) {
      const type = await redis.type(key);
      const value =
        type === 'hash'
          ? await redis.hgetall(key)
          : type === 'stream'
            ? await redis.xrange(key, '-', '+')
            : type === 'list'
              ? await redis.lrange(key, 0, -1)
              : type === 'zset'
                ? await redis.zrange(key, '0', '-1')
                : '';
      parts.push(key, JSON.stringify(value));
    }
    return parts.join('\n');
  }

  it('waiting for a worker → a job of its id with the fields of the contract; sent → nothing of it is left', async () => {
    const gate: { open?: () => void } = {};
    const opened = new Promise<void>((resolve) => {
      gate.open = resolve;
    });
    journey.provider.script('slow@example.com', async () => {
      await opened;
      return { kind: 'sent', providerMessageId: 'm-1', trace: { stage: 'sent' } } as Outcome;
    });
    await journey.postrider.start();
    const { emailId } = await journey.postrider.send(
      { ...to('slow'), companyId: 'acme', priority: 2 },
      { requestId: 'req-7' },
    );
    await waitFor(() => journey.provider.calls.length === 1, { timeoutMs: 5000, what: 'the attempt' });
    const job = await queue.getJob(emailId);
    expect(job?.name).toBe('email:send');
    expect(job?.data).toEqual({
      ...{ outboxId: emailId, companyId: 'acme', requestId: 'req-7', to: 'slow@example.com' },
      ...{ subject: 'slow', attempt: 1, priority: 2 },
    });
    expect(job?.opts).toMatchObject({ attempts: 5, backoff: { type: 'gateway' } });
    expect(await job?.getState()).toBe('active');
    gate.open!();
    await journey.untilStatus(emailId, 'sent');
    await waitFor(async () => (await queue.getJob(emailId)) === undefined, {
      timeoutMs: 5000,
      what: 'the job to go',
    });
    expect(await everything()).not.toContain('slow@example.com');
  });

  it('workers of another store come to the queue → refused, and the first goes on', async () => {
    await journey.postrider.start();
    const other = await openJourney({
      config: { engine: { name: 'bullmq' }, redis: { url: inject('redisUrl')!, prefix } },
    });
    await expect(other.postrider.start()).rejects.toMatchObject({
      code: 'BROKER_UNSUITABLE',
      message: expect.stringContaining('POSTRIDER_REDIS_PREFIX'),
    });
    await other.close();
    const { emailId } = await journey.postrider.send(to('undisturbed'));
    await journey.untilStatus(emailId, 'sent');
  });

  it('refused for now → its job waits as long as the ledger says, then it is tried again', async () => {
    journey.provider.script('later@example.com', DEFERRED, {
      ...{ kind: 'sent', providerMessageId: 'm-2' },
      trace: { stage: 'sent' },
    } as Outcome);
    await journey.postrider.start();
    const { emailId } = await journey.postrider.send(to('later'));
    await journey.untilStatus(emailId, 'retry');
    await waitFor(async () => (await (await queue.getJob(emailId))?.getState()) === 'delayed', {
      timeoutMs: 5000,
      what: 'the job to wait',
    });
    const [row] = (
      await journey.pool.query<{ wait: number }>(
        `select (extract(epoch from due_at) * 1000)::float8 as wait from postrider.email_queue where id = $1`,
        [emailId],
      )
    ).rows;
    const job = await queue.getJob(emailId);
    expect(Math.abs(job!.processedOn! + job!.delay - row!.wait)).toBeLessThan(3000);
    const log = await journey.untilStatus(emailId, 'sent');
    expect(log.attempts).toBe(2);
    const [first, second] = journey.provider.callsFor(emailId);
    expect(second!.at - first!.at).toBeGreaterThan(700);
  });

  it('refused for good → failed here and in BullMQ, and nothing of it is left in Redis', async () => {
    journey.provider.script('never@example.com', REJECTED);
    await journey.postrider.start();
    const { emailId } = await journey.postrider.send(to('never'));
    await journey.untilStatus(emailId, 'failed');
    await waitFor(async () => (await everything()).includes('failed'), {
      timeoutMs: 5000,
      what: 'the failure among the events of the queue',
    });
    expect(await queue.getJob(emailId)).toBeUndefined();
    expect(await everything()).not.toContain('never@example.com');
    // Asked for again, it goes the same way.
    await journey.postrider.deadLetters.retry({ emailIds: [emailId] });
    await waitFor(() => journey.provider.callsFor(emailId).length === 2, {
      timeoutMs: 10_000,
      what: 'the second round',
    });
  });

  it('jobs nobody of ours made → refused or dropped, and the worker goes on', async () => {
    await journey.postrider.start();
    const scheduled = await journey.postrider.schedule(to('tomorrow'), new Date(Date.now() + 86_400_000));
    const forged = {
      ...{ outboxId: scheduled.emailId, companyId: 'default', requestId: 'r', to: 'eve@example.com' },
      ...{ subject: 's', attempt: 1, priority: 1 },
    };
    await queue.add('email:send', { html: '<p>' }, { jobId: 'forged', removeOnFail: true });
    await queue.add('email:send', forged, { jobId: scheduled.emailId, removeOnComplete: true });
    const { emailId } = await journey.postrider.send(to('honest'));
    await journey.untilStatus(emailId, 'sent');
    await waitFor(async () => (await queue.getJob(scheduled.emailId)) === undefined, {
      timeoutMs: 5000,
      what: 'the forged job to be dropped',
    });
    expect(journey.provider.callsFor(scheduled.emailId)).toEqual([]);
    expect(journey.lines.join('')).toContain('INVALID_PAYLOAD');
    expect(journey.lines.join('')).not.toContain('eve@example.com');
  });

  it('an email that does not fit the contract of a job → is sent all the same', async () => {
    await journey.postrider.start();
    const { emailId } = await journey.postrider.send({ to: 'jürgen@example.com', subject: 'x', text: 'x' });
    await journey.untilStatus(emailId, 'sent');
  });

  it('stopped with a backlog → nothing is active in Redis and nothing is lost', async () => {
    let calls = 0;
    journey.provider.script('bulk@example.com', async () => {
      calls++;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { kind: 'sent', providerMessageId: 'm', trace: { stage: 'sent' } } as Outcome;
    });
    await journey.postrider.sendBatch(Array.from({ length: 600 }, () => to('bulk')));
    await journey.postrider.start();
    await waitFor(() => calls > 50, { timeoutMs: 10_000, what: 'some of them' });
    await journey.postrider.stopWorking();
    expect(await queue.getActiveCount()).toBe(0);
    const { rows } = await journey.pool.query<{ owned: number; left: number }>(
      `select count(owner)::int as owned, count(*)::int as left from postrider.email_queue`,
    );
    expect(rows[0]!.owned).toBe(0);
    expect(rows[0]!.left + calls).toBe(600);
  });
});

describeWith('postgres', 'redis')('the start', () => {
  const options = { from: { address: 'noreply@example.com' }, logger: silentLogger };

  it('a Redis that evicts keys → refused with BROKER_UNSUITABLE', async () => {
    const [server, database] = [
      await startPrivateRedis({ maxmemoryPolicy: 'allkeys-lru' }),
      await createTestDatabase(),
    ];
    const postrider = createPostrider({
      ...{ ...options, database: database.url },
      config: { engine: { name: 'bullmq' }, redis: { url: server.url } },
    });
    await expect(postrider.start()).rejects.toMatchObject({
      code: 'BROKER_UNSUITABLE',
      message: expect.stringContaining('allkeys-lru'),
    });
    await postrider.stop();
    await server.remove();
    await database.drop();
  });

  it('the embedded store → refused with INVALID_CONFIG', async ({ onTestFinished }) => {
    const folder = await mkdtemp(join(tmpdir(), 'postrider-engine-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    // The database's thread needs compiled files.
    const library = await compiled<typeof import('../../src/index.js')>('src/index.js');
    const postrider = library.createPostrider({
      ...{ ...options, database: { folder } },
      config: { engine: { name: 'bullmq' }, redis: { url: inject('redisUrl')! } },
    });
    await expect(postrider.start()).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    await postrider.stop();
  });

  it('an email that fits no job → heard here at once, and said not to have been in Redis', async () => {
    const prefix = `direct-${process.pid}`;
    const broker = createBullmqBroker({
      ...{ url: inject('redisUrl')!, prefix, prefetch: 5, store: 'direct', logger: silentLogger },
      gatewayWaitMs: () => 1000,
    });
    const heard: HeardBell[] = [];
    await broker.start({
      onBell: (bell) => heard.push(bell),
      onState() {},
      onNothingOut() {},
      onRefused() {},
    });
    try {
      const bell = { token: 1, tenant: 'a', priority: 3, attempt: 0, maxAttempts: 5, data: null };
      await broker.publish([{ id: '01a1e44c-ecf4-7000-a00d-9a7d44bf5135', ...bell }]);
      expect(heard).toMatchObject([{ token: 1, direct: true }]);
    } finally {
      await broker.stop();
    }
  });

  it('Redis away → the worker starts, says so, and delivers when it comes', async () => {
    const [server, database] = [await startPrivateRedis(), await createTestDatabase()];
    await server.kill();
    const postrider = createPostrider({
      ...{ ...options, database: database.url },
      config: { email: { mode: 'console' }, engine: { name: 'bullmq' }, redis: { url: server.url } },
    });
    await postrider.start();
    expect(postrider.engine()).toMatchObject({ name: 'bullmq', up: false });
    const { emailId } = await postrider.send({ to: 'a@example.com', subject: 's', text: 'x' });
    await server.start();
    await waitFor(async () => (await postrider.get(emailId))?.status === 'sent', {
      timeoutMs: 20_000,
      what: 'the email to be sent',
    });
    expect(postrider.engine()).toMatchObject({ name: 'bullmq', up: true });
    await postrider.stop();
    await server.remove();
    await database.drop();
  });
});
