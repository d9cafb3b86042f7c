import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { countMessages, withRabbit } from '../contract/ground/rabbit-ground.js';
import {
  createTestVhost,
  describeWith,
  type RabbitServer,
  startPrivateRabbit,
  type TestVhost,
  waitFor,
} from '../services/index.js';
import type { ChildOptions } from './ground/child.js';
import { type Ground, openGround, plainEmails } from './ground/open-ground.js';
import type { Child } from './ground/spawn-child.js';

/** The engine rabbitmq while brokers and workers die under load; test/long has a cluster. */
const EMAILS = 1000;
const ANSWER_MS = 20;

let ground: Ground;

type Engine = NonNullable<ChildOptions['config']>;

const engineOn = (url: string): Engine => ({
  engine: { name: 'rabbitmq', ringAgainMs: 3000 },
  rabbitmq: { url },
});

function slowly(): void {
  ground.sink.beforeAnswer = () => new Promise((resolve) => setTimeout(() => resolve(undefined), ANSWER_MS));
}

async function work(engine: Engine): Promise<Child[]> {
  const workers = ['one', 'two'].map((instance) => ground.child({ instance, config: engine }));
  await Promise.all(workers.map((worker) => worker.next('ready')));
  return workers;
}

const delivered = (count: number) =>
  waitFor(() => ground.sink.copies() >= count, { timeoutMs: 120_000, what: `${count} emails at the sink` });

async function expectAllSent(): Promise<void> {
  await ground.finished(240_000);
  expect(await ground.problems()).toEqual([]);
  expect(await ground.query(`select id from postrider.email_logs where status <> 'sent'`)).toEqual([]);
}

describeWith('postgres', 'rabbitmq')('two workers on RabbitMQ under load', () => {
  let server: RabbitServer;
  beforeAll(async () => {
    server = await startPrivateRabbit();
  });
  afterAll(() => server.remove());
  beforeEach(async () => {
    await server.start();
    ground = await openGround();
    slowly();
  });
  afterEach(() => ground.close());

  it('the broker is killed and started again → what is accepted meanwhile is accepted, and all is sent once', async () => {
    await work(engineOn(server.url));
    await ground.accept(plainEmails(EMAILS));
    await delivered(EMAILS / 10);
    await server.kill();
    await ground.accept(plainEmails(200, 'meanwhile'));
    await server.start();
    await delivered(EMAILS / 2);
    await server.kill();
    await server.start();
    await expectAllSent();
    expect(ground.sink.copies()).toBe(ground.accepted.length);
  });

  it('one worker is killed → the other sends what it held', async ({ onTestFinished }) => {
    // A virtual host stays the store's that worked there last for some seconds.
    const vhost = await createTestVhost();
    onTestFinished(() => vhost.drop());
    const [victim] = await work(engineOn(vhost.url));
    await ground.accept(plainEmails(EMAILS));
    await delivered(EMAILS / 10);
    victim!.kill('SIGKILL');
    await expectAllSent();
  });
});

describeWith('postgres', 'rabbitmq')('a worker that dies over a message of another service', () => {
  let vhost: TestVhost;
  beforeEach(async () => {
    vhost = await createTestVhost();
    ground = await openGround();
  });
  afterEach(async () => {
    await ground.close();
    await vhost.drop();
  });

  const MESSAGE = {
    type: 'USER_CERTIFICATION',
    to: 'once@example.com',
    data: { code: '123456', expiresInMinutes: 10 },
  };

  async function publish(messageId: string, body: object): Promise<void> {
    await withRabbit(vhost.url, async (rabbit) => {
      const publisher = rabbit.createPublisher({ confirm: true });
      await publisher.send(
        { exchange: 'EmailExchange', routingKey: 'email.send', messageId, durable: true },
        body,
      );
      await publisher.close();
    });
  }

  it('killed after a message of another service was accepted → it comes again and gives no second email', async () => {
    const engine = engineOn(vhost.url);
    const victim = ground.child({ config: engine });
    await victim.next('ready');
    victim.say({ do: 'arm', killAt: 'amqp:accepted' });
    await victim.next('armed');
    await publish('once', MESSAGE);
    await victim.gone;
    expect(victim.diedAt()).toBe('amqp:accepted');
    const heir = ground.child({ config: engine });
    await heir.next('ready');
    await publish('another', { ...MESSAGE, to: 'other@example.com' });
    await waitFor(async () => (await ground.query('select 1 from postrider.emails')).length === 2, {
      timeoutMs: 30_000,
      what: 'the second message',
    });
    await waitFor(async () => (await countMessages(vhost.url, 'email.send.queue')) === 0, {
      timeoutMs: 30_000,
      what: 'an empty queue of messages',
    });
    await expectAllSent();
    expect(ground.sink.copies()).toBe(2);
  });

  it('killed after a malformed one was refused → it is in the dead letters and nowhere lost', async () => {
    const engine = engineOn(vhost.url);
    const victim = ground.child({ config: engine });
    await victim.next('ready');
    victim.say({ do: 'arm', killAt: 'amqp:refused' });
    await victim.next('armed');
    await publish('bad', { type: 'USER_CERTIFICATION' });
    await victim.gone;
    expect(victim.diedAt()).toBe('amqp:refused');
    const heir = ground.child({ config: engine });
    await heir.next('ready');
    await waitFor(async () => (await countMessages(vhost.url, 'email.send.queue')) === 0, {
      timeoutMs: 30_000,
      what: 'an empty queue of messages',
    });
    expect(await countMessages(vhost.url, 'email.deadLetter.queue')).toBeGreaterThan(0);
  });
});
