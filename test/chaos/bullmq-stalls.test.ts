import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { openJourney } from '../journey/ground/open-journey.js';
import { gate } from '../journey/ground/scripted-provider.js';
import { describeWith, waitFor } from '../services/index.js';
import { closedDoor, openGround, plainEmails } from './ground/open-ground.js';

/**
 * Jobs that stall: BullMQ finds no lock on a job that a worker is still busy with, and runs it a second time. The row of
 * the email decides; the second run sends nothing.
 */
let redis: Redis;
let queue: Queue;
let prefix: string;
let tests = 0;

/** How often BullMQ has put this job back because its lock was gone. */
async function stallsOf(id: string): Promise<number> {
  const events = await redis.xrange(`${prefix}:email-send:events`, '-', '+');
  return events.filter(([, fields]) => fields.includes('stalled') && fields.includes(id)).length;
}

describeWith('postgres', 'redis')('a BullMQ job that stalls', () => {
  beforeEach(() => {
    tests += 1;
    prefix = `stalls-${process.pid}-${tests}`;
    redis = new Redis(inject('redisUrl')!, { maxRetriesPerRequest: null });
    queue = new Queue('email-send', { connection: redis, prefix });
  });
  afterEach(async () => {
    await queue.obliterate({ force: true });
    await queue.close();
    redis.disconnect();
  });

  it('its lock is lost while the provider is asked → run again, dropped by the ledger, and the email is sent once', async ({
    onTestFinished,
  }) => {
    const journey = await openJourney({
      config: { engine: { name: 'bullmq' }, redis: { url: inject('redisUrl')!, prefix } },
    });
    onTestFinished(() => journey.close());
    const slow = gate();
    journey.provider.script('slow@example.com', slow.answer);
    await journey.postrider.start();
    const { emailId } = await journey.postrider.send({ to: 'slow@example.com', subject: 's', text: 'x' });
    await slow.held;
    expect(await (await queue.getJob(emailId))?.getState()).toBe('active');

    expect(await redis.del(`${prefix}:email-send:${emailId}:lock`)).toBe(1);
    await waitFor(async () => (await stallsOf(emailId)) === 1, {
      timeoutMs: 30_000,
      what: 'BullMQ to put the job back',
    });
    await waitFor(async () => (await queue.getJob(emailId)) === undefined, {
      timeoutMs: 30_000,
      what: 'the second run to end its job',
    });
    expect(journey.provider.callsFor(emailId)).toHaveLength(1);

    slow.open();
    expect(await journey.untilStatus(emailId, 'sent')).toMatchObject({ attempts: 1 });
    // The job of a later email passes through the same queue behind it.
    const { emailId: later } = await journey.postrider.send({ to: 'b@example.com', subject: 's', text: 'x' });
    await journey.untilStatus(later, 'sent');
    expect(journey.provider.callsFor(emailId)).toHaveLength(1);
    expect((await journey.eventTypes(emailId)).filter((type) => type === 'SENT')).toHaveLength(1);
    await waitFor(async () => (await queue.getActiveCount()) === 0, {
      timeoutMs: 30_000,
      what: 'no job to be active',
    });
  });

  it('its worker is frozen → run again by another, which sends it once; awake, the first sends and writes nothing', async ({
    onTestFinished,
  }) => {
    const ground = await openGround();
    onTestFinished(() => ground.close());
    const attempts = () => ground.query('select * from postrider.email_attempts order by email_id, attempt');
    const config = { engine: { name: 'bullmq' as const }, redis: { url: inject('redisUrl')!, prefix } };
    const held = closedDoor();
    const reached: string[] = [];
    ground.sink.beforeRecipient = async (address) => {
      reached.push(address);
      await held.opened;
    };
    const zombie = ground.child({ instance: 'zombie', logLevel: 'info', config });
    await zombie.next('ready');
    const ids = await ground.accept(plainEmails(5));
    await waitFor(() => reached.length === ids.length, {
      timeoutMs: 30_000,
      what: 'five emails before their final dot',
    });
    zombie.kill('SIGSTOP');
    held.open();

    const heir = ground.child({ instance: 'heir', config });
    await heir.next('ready');
    await waitFor(async () => (await Promise.all(ids.map(stallsOf))).every((stalls) => stalls > 0), {
      timeoutMs: 30_000,
      what: 'all five jobs to stall',
    });
    await ground.finished(60_000);
    for (const id of ids) expect(ground.sink.taken.get(id)).toHaveLength(1);
    const written = await attempts();

    zombie.kill('SIGCONT');
    await waitFor(() => zombie.output().includes('lease lost'), {
      timeoutMs: 30_000,
      what: 'the first to see it has no lease',
    });
    await waitFor(async () => (await queue.getActiveCount()) === 0, {
      timeoutMs: 30_000,
      what: 'no job to be active',
    });
    const later = await ground.accept(plainEmails(5, 'later'));
    await ground.finished(60_000);
    for (const id of [...ids, ...later]) expect(ground.sink.taken.get(id)).toHaveLength(1);
    expect((await attempts()).slice(0, written.length)).toEqual(written);
    expect(await ground.problems()).toEqual([]);
  });
});
