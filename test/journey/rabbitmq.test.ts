import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEAD_LETTER_QUEUE } from '../../src/dispatch/engines/rabbitmq/topology.js';
import { createEventBus, createRegions } from '../../src/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import { countMessages, takeOne, withRabbit } from '../contract/ground/rabbit-ground.js';
import {
  createTestDatabase,
  createTestVhost,
  describeWith,
  type TestVhost,
  waitFor,
} from '../services/index.js';
import { type Door, openDoor } from './ground/open-door.js';
import { anEmail } from './ground/open-journey.js';
import { deferred, rejected, scriptedProvider } from './ground/scripted-provider.js';

describeWith('postgres', 'rabbitmq')('emails through RabbitMQ', () => {
  let vhost: TestVhost;
  let door: Door;
  beforeAll(async () => {
    vhost = await createTestVhost();
    door = await openDoor({
      config: {
        // What is lost here must not come back by time alone.
        engine: { name: 'rabbitmq', ringAgainMs: 600_000 },
        rabbitmq: { url: vhost.url },
        retry: { preset: 'broker', maxAttempts: 2 },
        limits: { enabled: false },
      },
    });
    await door.postrider.start();
  });
  afterAll(async () => {
    await door.close();
    await vhost.drop();
  });

  const until = <T>(condition: () => Promise<T> | T, what: string) =>
    waitFor(condition, { timeoutMs: 40_000, what });
  const untilStatus = (emailId: string, status: string) =>
    until(async () => (await door.postrider.get(emailId))?.status === status, `${emailId} to be ${status}`);
  const sentTo = (to: string) => door.provider.calls.filter((call) => call.to === to).length;

  async function publish(messageId: string, body: unknown, times = 1): Promise<void> {
    await withRabbit(vhost.url, async (rabbit) => {
      const publisher = rabbit.createPublisher({ confirm: true });
      for (let time = 0; time < times; time++)
        await publisher.send({ exchange: 'EmailExchange', routingKey: 'email.send', messageId }, body);
      await publisher.close();
    });
  }

  it('300 emails → all sent, each once', async () => {
    const emails = Array.from({ length: 300 }, () => anEmail());
    await door.postrider.sendBatch(emails);
    await until(() => emails.every(({ to }) => sentTo(to) > 0), '300 emails to be sent');
    expect(emails.map(({ to }) => sentTo(to))).toEqual(emails.map(() => 1));
  });

  it('deferred once → spends its 5 s in the wait queue and is sent', async () => {
    const email = anEmail();
    door.provider.script(email.to, deferred, {
      kind: 'sent',
      providerMessageId: 'p',
      trace: { stage: 'reply' },
    });
    const { emailId } = await door.postrider.send(email);
    await until(() => countMessages(vhost.url, 'email.send.wait.5s'), 'a bell in the wait queue');
    await untilStatus(emailId, 'sent');
    const [first, second] = door.provider.callsFor(emailId);
    expect(second!.at - first!.at).toBeGreaterThan(4500);
    expect(door.provider.callsFor(emailId)).toHaveLength(2);
  });

  it('rejected → failed in the ledger and mirrored; put back by the API → another round', async () => {
    const email = anEmail();
    door.provider.script(email.to, rejected, {
      kind: 'sent',
      providerMessageId: 'p',
      trace: { stage: 'reply' },
    });
    const { emailId } = await door.postrider.send(email);
    await untilStatus(emailId, 'failed');
    await until(() => countMessages(vhost.url, DEAD_LETTER_QUEUE), 'the mirror');
    const { body } = await door.call('GET', '/admin/broker/dead-letters?limit=10');
    expect(body).toMatchObject({
      total: 1,
      messages: [
        {
          messageId: emailId,
          emailId,
          retryCount: 0,
          errorCode: 'SMTP_550',
          failureType: 'SMTP_PERMANENT_FAILURE',
          responseCode: 550,
        },
      ],
    });
    const answer = await door.call('POST', '/admin/broker/dead-letters/requeue', {
      body: { messageIds: [emailId, 'none'] },
    });
    expect(answer).toMatchObject({ status: 200, body: { requeued: 1, refused: [], notFound: ['none'] } });
    await untilStatus(emailId, 'sent');
    expect(await countMessages(vhost.url, DEAD_LETTER_QUEUE)).toBe(0);
  });

  it('retries used up → MAX_RETRIES_EXCEEDED after a wait of 5 s in the broker', async () => {
    const email = anEmail();
    door.provider.script(email.to, deferred);
    const { emailId } = await door.postrider.send(email);
    await waitFor(async () => (await door.postrider.get(emailId))?.status === 'failed', {
      timeoutMs: 90_000,
      what: 'it to fail',
    });
    const at = door.provider.callsFor(emailId).map((call) => call.at);
    const waits = at.slice(1).map((time, index) => time - at[index]!);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThan(4700);
    expect(waits[0]).toBeLessThan(25_000);
    const letter = await until(() => takeOne(vhost.url, DEAD_LETTER_QUEUE), 'the mirror');
    expect(letter.headers).toMatchObject({
      'x-retry-count': 1,
      'x-failure-type': 'MAX_RETRIES_EXCEEDED',
      'x-response-code': 451,
    });
  });

  it('expired before its time came → mirrored as such, and not to be put back', async () => {
    const { emailId } = await door.postrider.send({
      ...anEmail(),
      scheduledAt: new Date(Date.now() + 3_600_000),
      expiresAt: new Date(Date.now() + 3_700_000),
    });
    await door.pool.query(`update postrider.email_queue set expires_at = now() where id = $1`, [emailId]);
    await untilStatus(emailId, 'expired');
    await until(() => countMessages(vhost.url, DEAD_LETTER_QUEUE), 'the mirror');
    const back = await door.call('POST', '/admin/broker/dead-letters/requeue', { body: { all: true } });
    expect(back.body).toMatchObject({ requeued: 0, refused: [{ messageId: emailId }] });
    const letter = await takeOne(vhost.url, DEAD_LETTER_QUEUE);
    expect(letter?.headers).toMatchObject({ 'x-error-code': 'EXPIRED', 'x-retry-count': 0 });
  });

  it('the queue is emptied while its email waits for a worker → rung again at once', async () => {
    await door.postrider.pause('all');
    const email = anEmail();
    const { emailId } = await door.postrider.send(email);
    // As if it had been rung and the broker had lost it.
    await door.pool.query(
      'update postrider.email_queue set ready = false, rung_at = clock_timestamp() where id = $1',
      [emailId],
    );
    await door.postrider.resume('all');
    await withRabbit(vhost.url, (rabbit) => rabbit.queueDelete({ queue: 'email.send.queue' }));
    await untilStatus(emailId, 'sent');
    // It may have been sent before the queue went: what others publish next needs one that is there again.
    await until(
      () =>
        withRabbit(
          vhost.url,
          async (rabbit) =>
            (await rabbit.queueDeclare({ queue: 'email.send.queue', passive: true })).consumerCount > 0,
        ),
      'a queue someone reads',
    );
  });

  it('another service publishes the same message three times → one email', async () => {
    const to = 'certified@example.net';
    const message = { type: 'USER_CERTIFICATION', to, data: { code: '123456', expiresInMinutes: 10 } };
    await publish('cert-1', message, 3);
    await until(() => sentTo(to) > 0, 'the email');
    await publish('cert-1', message);
    await publish('cert-2', { ...message, to: 'second@example.net' });
    await until(() => sentTo('second@example.net') > 0, 'the email after it');
    expect(sentTo(to)).toBe(1);
  });

  it('a malformed message → dead letter with its reason, shown without its body; put right → accepted', async () => {
    await publish('bad-1', { type: 'USER_CERTIFICATION', to: 'not an address', data: { code: 'SECRET-7' } });
    await until(() => countMessages(vhost.url, DEAD_LETTER_QUEUE), 'the dead letter');
    const listed = await door.call('GET', '/admin/broker/dead-letters');
    expect(listed.body).toMatchObject({
      total: 1,
      messages: [
        {
          messageId: 'bad-1',
          emailId: null,
          type: 'USER_CERTIFICATION',
          retryCount: 0,
          failureType: 'UNKNOWN_ERROR',
          errorMessage: expect.stringMatching(/^to/),
        },
      ],
    });
    expect(listed.text).not.toContain('SECRET-7');
    expect(door.lines.join('')).not.toContain('SECRET-7');
    await door.call('POST', '/admin/broker/dead-letters/requeue', { body: { all: true } });
    await until(async () => {
      const { body } = await door.call('GET', '/admin/broker/dead-letters');
      return body.messages[0]?.retryCount === 1;
    }, 'it to be refused again, counted');
    const purged = await door.call('POST', '/admin/broker/dead-letters/purge', {
      body: { messageIds: ['bad-1'] },
    });
    expect(purged.body).toEqual({ purged: 1, notFound: [] });
    expect((await door.call('GET', '/admin/broker/dead-letters')).body.total).toBe(0);
  });

  it('put back while the exchange leads nowhere → refused, and the dead letter stays', async () => {
    await publish('bad-2', { type: 'USER_CERTIFICATION', to: 'not an address' });
    await until(() => countMessages(vhost.url, DEAD_LETTER_QUEUE), 'the dead letter');
    const binding = { exchange: 'EmailExchange', queue: 'email.send.queue', routingKey: 'email.send' };
    await withRabbit(vhost.url, (rabbit) => rabbit.queueUnbind(binding));
    const answer = await door.call('POST', '/admin/broker/dead-letters/requeue', { body: { all: true } });
    await withRabbit(vhost.url, (rabbit) => rabbit.queueBind(binding));
    expect([answer.status, answer.body.code]).toEqual([503, 'BROKER_UNAVAILABLE']);
    expect(await countMessages(vhost.url, DEAD_LETTER_QUEUE)).toBe(1);
    await door.call('POST', '/admin/broker/dead-letters/purge', { body: { all: true } });
  });

  it.each([
    ['requeue', {}],
    ['requeue', { all: false }],
    ['purge', { messageIds: [] }],
    ['purge', { messageIds: ['a'], all: true }],
    ['purge', { everything: true }],
  ])('%s with %j → refused', async (act, body) => {
    expect((await door.call('POST', `/admin/broker/dead-letters/${act}`, { body })).status).toBe(400);
  });
});

describeWith('postgres', 'rabbitmq')('two regions in one process, each with a broker', () => {
  it('an email in each → sent through its own virtual host, and told there and nowhere else', async ({
    onTestFinished,
  }) => {
    const vhosts = await Promise.all([createTestVhost(), createTestVhost()]);
    const stores = await Promise.all(vhosts.map(() => createTestDatabase()));
    const names = vhosts.map(({ name }) => name);
    const url = vhosts[0]!.url.replace(names[0]!, '{region}');
    const provider = scriptedProvider();
    const regions = createRegions({
      ...{ provider, logger: silentLogger, from: { address: 'noreply@example.com' }, home: names[0]! },
      regions: Object.fromEntries(names.map((name, index) => [name, stores[index]!.url])),
      config: {
        ...{ engine: { name: 'rabbitmq' }, rabbitmq: { url }, limits: { enabled: false } },
        bus: { url, service: 'two-postrider' },
      },
    });
    const heard: string[] = [];
    const listeners = vhosts.map((vhost) => {
      const bus = createEventBus({ url: vhost.url, service: 'two-listener', logger: silentLogger });
      bus.on(
        'email.sent',
        ({ data }) => void heard.push(`${vhost.name} ${(data as { to: string[] }).to[0]}`),
      );
      return bus;
    });
    onTestFinished(async () => {
      await regions.stop({ deadlineMs: 2000 });
      await Promise.all(listeners.map((bus) => bus.stop()));
      await Promise.all([...stores, ...vhosts].map((one) => one.drop()));
    });
    await Promise.all(listeners.map((bus) => bus.start()));
    await regions.start();
    for (const name of names) {
      expect(regions.in(name).engine()).toMatchObject({ name: 'rabbitmq', up: true });
      const waiting = () => regions.in(name).waitingForBus();
      await waitFor(async () => (await waiting()) !== null, {
        what: 'the ledger to listen',
        timeoutMs: 40_000,
      });
      await regions.send({ to: `${name}@example.net`, subject: 'x', text: 'x', region: name });
    }
    await waitFor(() => heard.length >= 2, { what: 'both events', timeoutMs: 40_000 });
    expect(heard.sort()).toEqual(names.map((name) => `${name} ${name}@example.net`).sort());
  });
});
