import { Connection } from 'rabbitmq-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEAD_LETTER_QUEUE, SEND_QUEUE } from '../../src/dispatch/engines/rabbitmq/topology.js';
import { newId } from '../../src/kernel/index.js';
import { createTestVhost, describeWith, type TestVhost, waitFor } from '../services/index.js';
import {
  bellOf,
  countMessages,
  openRabbitGround,
  settlementOf,
  takeOne,
  withRabbit,
} from './ground/rabbit-ground.js';

const id = () => newId(Date.now());

describeWith('rabbitmq').each(['classic', 'quorum'] as const)(
  'bells over RabbitMQ, %s queues',
  (queueType) => {
    let vhost: TestVhost;
    let ground: ReturnType<typeof openRabbitGround>;
    beforeAll(async () => {
      vhost = await createTestVhost();
      ground = openRabbitGround(vhost.url, { queueType });
      await ground.start();
    });
    afterAll(async () => {
      await ground.broker.stop();
      await vhost.drop();
    });
    const until = <T>(condition: () => T | Promise<T>, what: string) =>
      waitFor(condition, { timeoutMs: 30_000, what });

    async function ring(token = 1) {
      const bell = bellOf(id(), token);
      await ground.broker.publish([bell]);
      return until(() => ground.heard.find((heard) => heard.id === bell.id), 'the bell') as Promise<
        (typeof ground.heard)[number]
      >;
    }

    it('started → the topology stands with the arguments of the source', async () => {
      const lines = await vhost.control(
        '-q',
        'list_queues',
        '-p',
        vhost.name,
        'name',
        'durable',
        'type',
        'arguments',
      );
      for (const queue of ['email.send.queue', 'email.deadLetter.queue'])
        expect(lines).toMatch(new RegExp(`${queue}\ttrue\t${queueType}`));
      for (const [queue, ttl] of [
        ['email.send.wait.5s', 5000],
        ['email.send.wait.10s', 10_000],
        ['email.send.wait.20s', 20_000],
      ] as const) {
        const line = lines.split('\n').find((each) => each.startsWith(queue));
        expect(line).toContain(`{"x-message-ttl",${ttl}}`);
        expect(line).toContain('{"x-dead-letter-exchange","EmailExchange"}');
        expect(line).toContain('{"x-dead-letter-routing-key","email.send"}');
      }
      const bindings = await vhost.control(
        '-q',
        'list_bindings',
        '-p',
        vhost.name,
        'source_name',
        'destination_name',
        'routing_key',
      );
      expect(bindings).toContain('EmailExchange\temail.send.queue\temail.send');
      expect(
        await vhost.control('-q', 'list_exchanges', '-p', vhost.name, 'name', 'type', 'durable'),
      ).toContain('EmailExchange\tdirect\ttrue');
    });

    it('bells are published → heard with their tokens, and gone once ended', async () => {
      const bell = await ring(7);
      expect(bell.token).toBe(7);
      await ground.broker.ended([{ bell, settlement: null }]);
      await until(async () => (await countUnacked(vhost)) === 0, 'the acknowledgement');
      expect(ground.broker.state()).toMatchObject({ up: true, message: 'connected' });
    });

    it('a wait of 5 s → spent in the broker, back with the token of the settlement', async () => {
      expect([5000, 10_000, 20_000].map(ground.broker.spendsWait)).toEqual([true, true, true]);
      expect([1000, 5001, 30_000].map(ground.broker.spendsWait)).toEqual([false, false, false]);
      const bell = await ring(1);
      const settlement = settlementOf(bell.id, 2, { status: 'retry', retryDelayMs: 5000, rings: true });
      const startedAt = performance.now();
      await ground.broker.ended([{ bell, settlement }]);
      const back = await until(
        () => ground.heard.find((heard) => heard.id === bell.id && heard.token === 2),
        'the bell to come back',
      );
      expect(performance.now() - startedAt).toBeGreaterThan(4900);
      await ground.broker.ended([{ bell: back as typeof bell, settlement: null }]);
    });

    it('an email fails for good → mirrored to the dead letters with the headers of the source', async () => {
      const bell = await ring();
      await ground.broker.ended([
        {
          bell,
          settlement: settlementOf(bell.id, 1, {
            ...{ status: 'failed', attempt: 3, errorCode: 'SMTP_550', errorMessage: '550 no such user' },
            detail: { originalCode: 550 },
          }),
        },
      ]);
      const letter = await until(() => takeOne(vhost.url, DEAD_LETTER_QUEUE), 'the dead letter');
      expect(letter).toMatchObject({
        messageId: bell.id,
        body: { outboxId: bell.id, attempt: 3, status: 'failed' },
        durable: true,
        headers: {
          'x-retry-count': 2,
          'x-error-code': 'SMTP_550',
          'x-error-message': '550 no such user',
          'x-failed-at': expect.stringMatching(/^\d{4}-.*Z$/),
          'x-failure-type': 'SMTP_PERMANENT_FAILURE',
          'x-response-code': 550,
        },
      });
    });

    it('messages of others → accepted ones are gone, refused ones stand in the dead letters with the reason', async () => {
      ground.answers.push(
        { kind: 'done' },
        { kind: 'refused', code: 'INVALID_PAYLOAD', message: 'to is missing' },
      );
      await withRabbit(vhost.url, async (rabbit) => {
        const publisher = rabbit.createPublisher({ confirm: true });
        const to = { exchange: 'EmailExchange', routingKey: 'email.send' };
        await publisher.send(
          { ...to, messageId: 'good-1' },
          { type: 'USER_CERTIFICATION', to: 'a@example.com' },
        );
        await until(() => ground.foreign.length === 1, 'the first message');
        await publisher.send(
          { ...to, messageId: 'bad-1', correlationId: 'r-1' },
          { type: 'USER_CERTIFICATION' },
        );
        await publisher.close();
      });
      const letter = await until(() => takeOne(vhost.url, DEAD_LETTER_QUEUE), 'the dead letter');
      expect(letter).toMatchObject({
        messageId: 'bad-1',
        correlationId: 'r-1',
        contentType: 'application/json',
        body: { type: 'USER_CERTIFICATION' },
        headers: {
          'x-retry-count': 0,
          'x-error-code': 'INVALID_PAYLOAD',
          'x-error-message': 'to is missing',
          'x-failure-type': 'UNKNOWN_ERROR',
        },
      });
      expect(ground.foreign).toMatchObject([
        {
          messageId: 'good-1',
          body: Buffer.from('{"type":"USER_CERTIFICATION","to":"a@example.com"}'),
          deadLetterOf: null,
        },
        { messageId: 'bad-1', correlationId: 'r-1' },
      ]);
      await until(async () => (await countUnacked(vhost)) === 0, 'both to be acknowledged');
    });

    it('headers of others that are large, nested and odd → its dead letter has all of them', async () => {
      ground.answers.push({ kind: 'refused', code: 'INVALID_PAYLOAD', message: 'ü'.repeat(5000) });
      const headers = {
        plain: 'yes',
        long: 'x'.repeat(60_000),
        deep: { a: [1, { b: null }] },
        odd: 1.5,
        'x-retry-count': 4,
      };
      const wide = new Connection({ url: vhost.url, frameMax: 131_072 });
      const publisher = wide.createPublisher({ confirm: true });
      const to = { exchange: 'EmailExchange', routingKey: 'email.send' };
      await publisher.send({ ...to, messageId: 'odd-1', headers }, { type: 'X' });
      await publisher.close();
      await wide.close();
      const letter = await until(() => takeOne(vhost.url, DEAD_LETTER_QUEUE), 'the dead letter');
      expect(letter.headers).toMatchObject({
        plain: 'yes',
        'x-retry-count': 5,
        'x-error-code': 'INVALID_PAYLOAD',
        ...{ long: headers.long, deep: headers.deep, odd: 1.5 },
      });
      expect(ground.broker.state().up).toBe(true);
    });

    it('a message of others that has to wait → it comes again', async () => {
      const seen = ground.foreign.length;
      ground.answers.push({ kind: 'later', message: 'the store is away' });
      await withRabbit(vhost.url, async (rabbit) => {
        const publisher = rabbit.createPublisher({ confirm: true });
        await publisher.send(
          { exchange: 'EmailExchange', routingKey: 'email.send', messageId: 'again-1' },
          'no json',
        );
        await publisher.close();
      });
      await until(() => ground.foreign.length === seen + 2, 'the message to come twice');
      expect(ground.foreign.at(-1)).toMatchObject({ messageId: 'again-1', body: Buffer.from('no json') });
      await until(async () => (await countUnacked(vhost)) === 0, 'it to be acknowledged');
    });

    it('the exchange leads to no queue → publishing fails, and works again when it does', async () => {
      const binding = { exchange: 'EmailExchange', queue: SEND_QUEUE, routingKey: 'email.send' };
      await withRabbit(vhost.url, (rabbit) => rabbit.queueUnbind(binding));
      await expect(ground.broker.publish([bellOf(id(), 1)])).rejects.toThrow('could not be routed');
      await withRabbit(vhost.url, (rabbit) => rabbit.queueBind(binding));
      const bell = await ring();
      await ground.broker.ended([{ bell, settlement: null }]);
    });

    it('messages of others larger than one worker may hold → taken one after the other, all of them', async () => {
      const large = 'x'.repeat(9 * 1024 * 1024);
      const seen = ground.foreign.length;
      await withRabbit(vhost.url, async (rabbit) => {
        const publisher = rabbit.createPublisher({ confirm: true });
        for (let message = 0; message < 5; message++)
          await publisher.send({ exchange: 'EmailExchange', routingKey: 'email.send' }, large);
        await publisher.close();
      });
      await until(() => ground.foreign.length === seen + 5, 'all of them');
      ground.foreign.splice(seen);
      const bell = await ring();
      await ground.broker.ended([{ bell, settlement: null }]);
      await until(async () => (await countUnacked(vhost)) === 0, 'them to be acknowledged');
    });

    it('workers of another store come → refused; with those of the same beside it all is well', async () => {
      await expect(openRabbitGround(vhost.url, { queueType, store: 'two' }).start()).rejects.toMatchObject({
        code: 'BROKER_UNSUITABLE',
        message: expect.stringMatching(/^Workers of another store use this virtual host/),
      });
      const same = openRabbitGround(vhost.url, { queueType });
      await same.start();
      expect(same.broker.state().up).toBe(true);
      await same.broker.stop();
      expect(ground.broker.state().up).toBe(true);
    });

    it('a bell another store left here → dropped, one of code that names no store → heard', async () => {
      const [others, unnamed] = [id(), id()];
      await withRabbit(vhost.url, async (rabbit) => {
        const publisher = rabbit.createPublisher({ confirm: true });
        const bell = { routingKey: SEND_QUEUE, appId: 'postrider', type: 'email.bell' };
        await publisher.send(bell, { outboxId: others, token: 1, store: 'two' });
        await publisher.send(bell, { outboxId: unnamed, token: 1 });
        await publisher.close();
      });
      const heard = await until(() => ground.heard.find((bell) => bell.id === unnamed), 'the bell');
      await ground.broker.ended([{ bell: heard as (typeof ground.heard)[number], settlement: null }]);
      await until(async () => (await countUnacked(vhost)) === 0, 'both to be acknowledged');
      expect(ground.heard.map((bell) => bell.id)).not.toContain(others);
    });

    it('emails that ended without a bell → mirrored too', async () => {
      const gone = { id: id(), token: 2, attempt: 1, status: 'failed', errorCode: 'CRASH_LOOP' } as const;
      ground.broker.gaveUp([{ ...gone, errorMessage: 'its worker died' }]);
      const letter = await until(() => takeOne(vhost.url, DEAD_LETTER_QUEUE), 'the dead letter');
      expect(letter).toMatchObject({
        messageId: gone.id,
        headers: { 'x-error-code': 'CRASH_LOOP', 'x-failure-type': 'UNKNOWN_ERROR', 'x-retry-count': 0 },
      });
    });

    it('the queue is deleted under it → declared again, told as empty, and bells are heard again', async () => {
      expect(ground.nothingOut[0]).toEqual({ waits: true });
      const before = ground.nothingOut.length;
      await withRabbit(vhost.url, (rabbit) => rabbit.queueDelete({ queue: SEND_QUEUE }));
      await until(async () => {
        await ring();
        return true;
      }, 'a bell to get through');
      expect(ground.nothingOut.length).toBeGreaterThan(before);
    });

    it('another bell engine stops → its unacknowledged bells come to those that remain', async () => {
      const other = openRabbitGround(vhost.url, { queueType });
      await ground.broker.quiesce();
      await other.start();
      const bell = bellOf(id(), 1);
      await other.broker.publish([bell]);
      await until(() => other.heard.some((heard) => heard.id === bell.id), 'the other to hear it');
      expect(await countMessages(vhost.url, SEND_QUEUE)).toBe(0);
      await other.broker.stop();
      await until(
        async () => (await countMessages(vhost.url, SEND_QUEUE)) >= 1,
        'the bell to be back in the queue',
      );
    });
  },
);

describeWith('rabbitmq')('a broker that does not suit', () => {
  let vhost: TestVhost;
  beforeAll(async () => {
    vhost = await createTestVhost();
  });
  afterAll(() => vhost.drop());

  it('a queue with other arguments → a clear error that names it', async () => {
    await withRabbit(vhost.url, (rabbit) =>
      rabbit.queueDeclare({
        queue: 'email.send.wait.10s',
        durable: true,
        arguments: { 'x-message-ttl': 9000 },
      }),
    );
    await expect(openRabbitGround(vhost.url).start()).rejects.toMatchObject({
      code: 'BROKER_UNSUITABLE',
      message: expect.stringMatching(
        /^email\.send\.wait\.10s exists on the broker and differs .*x-message-ttl/,
      ),
    });
  });

  it('a wrong password → a clear error', async () => {
    const url = vhost.url.replace('guest:guest', 'guest:wrong');
    await expect(openRabbitGround(url).start()).rejects.toMatchObject({ code: 'BROKER_UNSUITABLE' });
  });

  it('a virtual host that is not there → a clear error', async () => {
    const url = vhost.url.replace(vhost.name, 'nowhere');
    await expect(openRabbitGround(url).start()).rejects.toMatchObject({ code: 'BROKER_UNSUITABLE' });
  });
});

async function countUnacked(vhost: TestVhost): Promise<number> {
  const queue = (await vhost.queues()).find(({ name }) => name === SEND_QUEUE);
  return queue ? queue.ready + queue.unacknowledged : 0;
}
