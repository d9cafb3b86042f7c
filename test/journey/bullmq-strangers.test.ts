import { type JobsOptions, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { describeWith, waitFor } from '../services/index.js';
import { type Journey, openJourney } from './ground/open-journey.js';

/** Jobs of other programs in our queue, while emails of ours go through it. */
const UNKNOWN = '0199d5d6-7d3a-7c1f-9a3b-2f6f5f0c7e11';
const STRANGER = 'eve@example.com';
const KEPT: JobsOptions = { removeOnComplete: false, removeOnFail: false };
const data = (outboxId: string, parts: object = {}) => ({
  ...{ outboxId, companyId: 'default', requestId: 'r', to: STRANGER, subject: 's', attempt: 1, priority: 1 },
  ...parts,
});

let journey: Journey;
let redis: Redis;
let queue: Queue;
let prefix: string;
let tests = 0;

describeWith('postgres', 'redis')('jobs of other programs in the queue', () => {
  beforeAll(() => {
    redis = new Redis(inject('redisUrl')!, { maxRetriesPerRequest: null });
  });
  beforeEach(async () => {
    tests += 1;
    prefix = `strangers-${process.pid}-${tests}`;
    queue = new Queue('email-send', { connection: redis, prefix });
    journey = await openJourney({
      config: { engine: { name: 'bullmq' }, redis: { url: inject('redisUrl')!, prefix } },
    });
  });
  afterEach(async () => {
    await journey.close();
    await queue.close();
    const keys = await redis.keys(`${prefix}:*`);
    if (keys.length > 0) await redis.del(keys);
  });
  afterAll(() => redis.disconnect());

  const key = (name: string) => `${prefix}:email-send:${name}`;
  const accept = (to = 'ann@example.com') => journey.postrider.send({ to, subject: 's', text: 'x' });
  const gone = (id: string) =>
    waitFor(async () => (await redis.exists(key(id))) === 0, { timeoutMs: 20_000, what: `${id} to be gone` });
  const lineOf = (jobId: string) =>
    waitFor(
      () =>
        journey.lines
          .map((line) => JSON.parse(line) as Record<string, unknown>)
          .find((line) => line.jobId === jobId),
      { timeoutMs: 20_000, what: `a line about ${jobId}` },
    );
  const refused = async () =>
    Number(
      /postrider_bells_total\{what="refused"\} (\d+)/.exec(
        await journey.postrider.metrics.registry.metrics(),
      )?.[1] ?? 0,
    );
  /** What the queue tells those who listen to it. */
  async function failures(): Promise<Record<string, string>> {
    const told: Record<string, string> = {};
    for (const [, fields] of await redis.xrange(key('events'), '-', '+')) {
      const event: Record<string, string> = {};
      for (let at = 0; at < fields.length; at += 2) event[fields[at]!] = fields[at + 1]!;
      if (event.event === 'failed') told[event.jobId!] = event.failedReason!;
    }
    return told;
  }
  const addressesLeft = async () => {
    const left: string[] = [];
    for (const found of await redis.keys(`${prefix}:*`))
      if (
        (await redis.type(found)) === 'hash' &&
        JSON.stringify(await redis.hgetall(found)).includes(STRANGER)
      )
        left.push(found);
    return left;
  };

  it('a job for an unknown id → failed with OUTBOX_NOT_FOUND, a line, a count, and nothing left in Redis', async () => {
    await journey.postrider.start();
    await queue.add('email:send', data(UNKNOWN), { ...KEPT, jobId: UNKNOWN });
    expect(await lineOf(UNKNOWN)).toMatchObject({ code: 'OUTBOX_NOT_FOUND', field: 'outboxId' });
    await gone(UNKNOWN);
    expect(await failures()).toEqual({ [UNKNOWN]: 'OUTBOX_NOT_FOUND' });
    expect(await refused()).toBe(1);
    expect(await addressesLeft()).toEqual([]);
  });

  it('a job for an email of another company → failed with OUTBOX_NOT_FOUND, and the email stays as it is', async () => {
    await journey.postrider.start();
    const { emailId } = await journey.postrider.schedule(
      { to: 'ann@example.com', subject: 's', text: 'x' },
      new Date(Date.now() + 86_400_000),
    );
    await queue.add('email:send', data(emailId, { companyId: 'other' }), { ...KEPT, jobId: emailId });
    expect(await lineOf(emailId)).toMatchObject({ code: 'OUTBOX_NOT_FOUND', field: 'outboxId' });
    await gone(emailId);
    expect((await journey.postrider.get(emailId))?.status).toBe('scheduled');
  });

  it('a job for an email that is over → completes, and counts as no refusal', async () => {
    await journey.postrider.start();
    const { emailId } = await accept();
    await journey.untilStatus(emailId, 'sent');
    await gone(emailId);
    await queue.add('email:send', data(emailId), { ...KEPT, jobId: emailId });
    await gone(emailId);
    expect(await failures()).toEqual({});
    expect(await refused()).toBe(0);
    expect(journey.provider.callsFor(emailId)).toHaveLength(1);
  });

  it.each<[string, (emailId: string) => Promise<unknown>]>([
    ['with bad data, waiting', (id) => queue.add('other', { to: STRANGER }, { ...KEPT, jobId: id })],
    [
      'with good data, delayed for an hour',
      (id) => queue.add('email:send', data(id), { ...KEPT, jobId: id, delay: 3_600_000 }),
    ],
    [
      'locked by another program',
      async (id) => {
        await queue.add('email:send', data(id), { ...KEPT, jobId: id, delay: 3_600_000 });
        await redis.set(key(`${id}:lock`), 'theirs');
      },
    ],
    [
      'that waits for a child in the hands of another program',
      async (id) => {
        const child = await queue.add('child', {}, { ...KEPT, delay: 3_600_000 });
        await redis.set(key(`${child.id}:lock`), 'theirs');
        await redis.hset(key(id), {
          name: 'parent',
          data: '{}',
          opts: '{}',
          timestamp: 1,
          delay: 0,
          priority: 0,
        });
        await redis.sadd(key(`${id}:dependencies`), key(child.id!));
        await redis.zadd(key('waiting-children'), 1, id);
      },
    ],
    [
      'kept since it failed',
      async (id) => {
        await redis.hset(key(id), { name: 'x', data: '{}', opts: '{}', timestamp: 1, delay: 0, priority: 0 });
        await redis.zadd(key('failed'), 1, id);
      },
    ],
  ])("a stranger's job for a waiting email, %s → the email is sent at once, and once", async (_case, add) => {
    const { emailId } = await accept();
    await add(emailId);
    await journey.postrider.start();
    await journey.untilStatus(emailId, 'sent', 15_000);
    await gone(emailId);
    expect(journey.provider.callsFor(emailId)).toHaveLength(1);
    expect(await addressesLeft()).toEqual([]);
  });

  const deep = () => {
    let value: unknown = STRANGER;
    for (let level = 0; level < 3000; level++) value = [value];
    return value;
  };
  it('jobs that are none of ours → each fails with a line that names it and the field, is counted and removed', async () => {
    await journey.postrider.start();
    const strange: Array<[string, string, unknown, string]> = [
      ['another-name', `send to ${STRANGER}`, data('another-name'), 'name'],
      ['a-long-name', 'x'.repeat(100_000), data('a-long-name'), 'name'],
      ['no-data', 'email:send', null, 'data'],
      ['a-number', 'email:send', 42, 'data'],
      ['a-list', 'email:send', [STRANGER], 'data'],
      ['deep', 'email:send', deep(), 'data'],
      ['deep-id', 'email:send', data(deep() as string), 'outboxId'],
      ['huge', 'email:send', { ...data(UNKNOWN), html: STRANGER.repeat(300_000) }, 'html'],
      ['no-id', 'email:send', data(undefined as unknown as string), 'outboxId'],
      ['number-id', 'email:send', data(7 as unknown as string), 'outboxId'],
      ['object-id', 'email:send', data({ id: UNKNOWN } as unknown as string), 'outboxId'],
      ['other-id', 'email:send', data(UNKNOWN), 'outboxId'],
      ['no-address', 'email:send', data(UNKNOWN, { to: 7 }), 'to'],
      ['odd-key', 'email:send', data(UNKNOWN, { [STRANGER]: 1 }), 'data'],
      ['__proto__', 'email:send', data(UNKNOWN), 'outboxId'],
      ['constructor', 'email:send', data(UNKNOWN), 'outboxId'],
      ['../../../etc', 'email:send', data(UNKNOWN), 'outboxId'],
      ['two\nlines', 'email:send', data(UNKNOWN), 'outboxId'],
      ['Ünïcödé 🎉', 'email:send', data(UNKNOWN), 'outboxId'],
      ['store', 'email:send', data(UNKNOWN), 'outboxId'],
      ['meta', 'email:send', data(UNKNOWN), 'outboxId'],
    ];
    for (const [jobId, name, given] of strange)
      await queue.add(name, given, { ...KEPT, jobId, attempts: 9 }).catch(() => undefined);
    const numbered = await queue.add('email:send', data(UNKNOWN), KEPT);
    for (const [jobId, , , field] of [...strange, [numbered.id!, '', null, 'outboxId'] as const]) {
      if (jobId === 'store' || jobId === 'meta') continue; // taken: what BullMQ does with it is its own
      expect(await lineOf(jobId), jobId).toMatchObject({ code: 'INVALID_PAYLOAD', field });
      await gone(jobId);
    }
    expect(await refused()).toBeGreaterThanOrEqual(strange.length - 1);
    expect(await addressesLeft()).toEqual([]);
    expect(journey.lines.join('')).not.toContain(STRANGER);
    const { emailId } = await accept();
    await journey.untilStatus(emailId, 'sent');
  });

  it('an id of 5,000 characters, and one that is an address → the line names a part, and no address', async () => {
    await journey.postrider.start();
    await queue.add('email:send', data(UNKNOWN), { ...KEPT, jobId: 'x'.repeat(5000) });
    await queue.add('email:send', data(UNKNOWN), { ...KEPT, jobId: STRANGER });
    await gone('x'.repeat(5000));
    await gone(STRANGER);
    const lines = journey.lines.filter((line) => line.includes('INVALID_PAYLOAD'));
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line.length).toBeLessThan(600);
    expect(journey.lines.join('')).not.toContain(STRANGER);
  });

  it('jobs written by hand whose data or options are no JSON, or that are not there → removed, and the worker goes on', async () => {
    await journey.postrider.start();
    const plain = { name: 'email:send', timestamp: 1, delay: 0, priority: 0 };
    await redis.hset(key('bad-data'), { ...plain, data: `${STRANGER} {`, opts: '{}' });
    await redis.hset(key('bad-options'), { ...plain, data: '{}', opts: `${STRANGER} {` });
    await redis.lpush(key('wait'), 'bad-data', 'bad-options', 'nothing-behind-it');
    await redis.zadd(key('marker'), 0, '0');
    for (const id of ['bad-data', 'bad-options', 'nothing-behind-it']) {
      expect(await lineOf(id), id).toMatchObject({ code: 'INVALID_PAYLOAD' });
      await gone(id);
    }
    expect(await redis.lrange(key('active'), 0, -1)).toEqual([]);
    expect(journey.lines.join('')).not.toContain(STRANGER);
    const { emailId } = await accept();
    await journey.untilStatus(emailId, 'sent');
  });

  it('a job written by hand with a count that is none → removed with its line, and emails go', async () => {
    await journey.postrider.start();
    const plain = { name: 'email:send', data: '{}', opts: '{}', timestamp: 1, delay: 0, priority: 0 };
    await redis.hset(key('bad-count'), { ...plain, ats: 'x' });
    await redis.lpush(key('wait'), 'bad-count');
    await queue.add('email:send', data(UNKNOWN), { ...KEPT, jobId: UNKNOWN });
    expect(await lineOf('bad-count')).toMatchObject({ code: 'INVALID_PAYLOAD', field: 'ats' });
    await gone('bad-count');
    const { emailId } = await accept();
    await journey.untilStatus(emailId, 'sent', 15_000);
  });

  it.each<[string, string, string]>([
    ['paused', '1', 'paused in BullMQ'],
    ['concurrency', '0', 'concurrency in BullMQ lets no job through'],
    ['concurrency', 'x', 'concurrency in BullMQ lets no job through'],
    ['max', '0', 'max in BullMQ lets no job through'],
  ])(
    'another program sets %s of the queue to %s → the engine says so and a line does, and emails go once it is lifted',
    async (field, value, why) => {
      await journey.postrider.start();
      await waitFor(() => journey.postrider.engine()?.up, { timeoutMs: 20_000, what: 'the engine' });
      await redis.hset(key('meta'), field, value);
      const { emailId } = await accept();
      await waitFor(() => journey.postrider.engine()?.message.includes(why), {
        timeoutMs: 20_000,
        what: 'the engine to say so',
      });
      expect(journey.postrider.engine()).toMatchObject({ up: false });
      expect(journey.lines.filter((line) => line.includes(why)).length).toBeGreaterThan(0);
      await redis.hdel(key('meta'), field);
      await journey.untilStatus(emailId, 'sent');
      expect(journey.postrider.engine()).toMatchObject({ up: true });
    },
  );

  it.each(['store', 'wait', 'active', 'delayed', 'prioritized', 'events', 'marker', 'stalled', 'failed'])(
    'a job called %s, as a key of the queue → emails go all the same',
    async (jobId) => {
      // Before there is such a key: BullMQ would write the job there.
      await queue.add('email:send', data(UNKNOWN), { ...KEPT, jobId }).catch(() => undefined);
      await journey.postrider.start();
      const { emailId } = await accept();
      await journey.untilStatus(emailId, 'sent', 20_000);
      await waitFor(async () => (await addressesLeft()).length === 0, {
        timeoutMs: 20_000,
        what: 'the address to be gone from Redis',
      });
    },
  );
});
