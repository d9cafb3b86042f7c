import { Connection } from 'rabbitmq-client';
import { expect, inject, it } from 'vitest';
import { evaluateInBroker } from '../services/evaluate-in-broker.js';
import { createTestVhost, describeWith, startPrivateRabbit } from '../services/index.js';
import type { SharedRabbit } from '../services/rabbitmq.js';

describeWith('rabbitmq')('the RabbitMQ of the tests', { timeout: 600_000 }, () => {
  it('two virtual hosts → what one holds the other does not see, and each is gone once dropped', async () => {
    const [one, other] = await Promise.all([createTestVhost(), createTestVhost()]);
    expect(await withConnection(one.url, (rabbit) => rabbit.queueDeclare('mine'))).toMatchObject({
      queue: 'mine',
    });
    const missing = withConnection(other.url, (rabbit) =>
      rabbit.queueDeclare({ queue: 'mine', passive: true }),
    );
    await expect(missing).rejects.toThrow(/no queue 'mine'/);
    await Promise.all([one.drop(), other.drop()]);
    expect(await one.control('list_vhosts')).not.toContain(one.name);
  });

  it('many ask the broker at once → each is answered', async (test) => {
    const { control } = JSON.parse(inject('rabbitmqUrl')!) as SharedRabbit;
    if (!control.erlCall) return test.skip('there is no erl_call for this broker');
    const asked = Array.from({ length: 8 }, (_, at) => `timer:sleep(100), "answer ${at}"`);
    const answers = await Promise.all(asked.map((question) => evaluateInBroker(control, question)));
    expect(answers).toEqual(asked.map((_, at) => `answer ${at}`));
  });

  it('a private broker is killed and started → same port, durable messages are there', async () => {
    const server = await startPrivateRabbit();
    try {
      await withConnection(server.url, async (rabbit) => {
        await rabbit.queueDeclare({ queue: 'kept', durable: true });
        const publisher = rabbit.createPublisher({ confirm: true });
        await publisher.send({ routingKey: 'kept', durable: true }, 'one');
        await publisher.close();
      });
      await server.kill();
      await server.start();
      const kept = await withConnection(server.url, (rabbit) =>
        rabbit.basicGet({ queue: 'kept', noAck: true }),
      );
      expect(kept?.body).toBe('one');
    } finally {
      await server.remove();
    }
  });
});

async function withConnection<T>(url: string, work: (rabbit: Connection) => Promise<T>): Promise<T> {
  const rabbit = new Connection({ url, acquireTimeout: 60_000 });
  rabbit.on('error', () => undefined); // whatever was asked for rejects as well
  try {
    return await work(rabbit);
  } finally {
    await rabbit.close();
  }
}
