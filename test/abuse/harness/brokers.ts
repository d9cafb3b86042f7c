import { randomBytes } from 'node:crypto';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Connection, type Envelope } from 'rabbitmq-client';
import { inject } from 'vitest';
import { createTestVhost } from '../../services/index.js';

/** What wakes the victim's workers, and with it which doors of brokers are open. */
export type Engine = 'postgres' | 'rabbitmq' | 'bullmq';

/** A broker's side of a target: the settings that open it, and a way to put something in. */
export interface Broker {
  settings: Record<string, string>;
  publish(envelope: Envelope, body: Buffer): Promise<void>;
  addJob(name: string, data: unknown, id: string): Promise<void>;
  close(): Promise<void>;
}

/** Whether the servers of this run have it. */
export function hasEngine(engine: Engine): boolean {
  return engine === 'postgres' || inject(engine === 'rabbitmq' ? 'rabbitmqUrl' : 'redisUrl') !== null;
}

export function openBroker(engine: Engine): Promise<Broker> {
  if (engine === 'rabbitmq') return openRabbit();
  return engine === 'bullmq' ? openBullMq() : Promise.resolve(noBroker);
}

const none = (what: string) => (): Promise<never> => Promise.reject(new Error(`this target has no ${what}`));
const noBroker: Broker = {
  settings: {},
  publish: none('RabbitMQ'),
  addJob: none('BullMQ'),
  close: async () => undefined,
};

export const EVENT = 'user.registered';
export const BUS_SERVICE = 'shop-postrider';

/** The queue of emails and the bus of events, on a virtual host of their own. */
async function openRabbit(): Promise<Broker> {
  const vhost = await createTestVhost();
  const connection = new Connection({ url: vhost.url, frameMax: 128 * 1024 }); // headers fit into one frame
  connection.on('error', () => undefined); // told again by whatever is published next
  const publisher = connection.createPublisher({ confirm: true, maxAttempts: 2 });
  const pattern = {
    to: '$data.email',
    subject: '$data.subject',
    text: '$data.text',
    metadata: { more: '$data.more?' },
  };
  return {
    ...noBroker,
    settings: {
      POSTRIDER_ENGINE: 'rabbitmq',
      RABBITMQ_URL: vhost.url,
      POSTRIDER_BUS_URL: vhost.url,
      POSTRIDER_BUS_SERVICE: BUS_SERVICE,
      POSTRIDER_BUS_EMAILS: JSON.stringify({ [EVENT]: pattern }),
      POSTRIDER_BUS_MAX_RETRIES: '0',
    },
    publish: (envelope, body) => publisher.send(envelope, body),
    async close() {
      await publisher.close();
      await connection.close();
      await vhost.drop();
    },
  };
}

async function openBullMq(): Promise<Broker> {
  const url = inject('redisUrl')!;
  const prefix = `abuse-${randomBytes(4).toString('hex')}`;
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  const queue = new Queue('email-send', { connection: redis, prefix });
  return {
    ...noBroker,
    settings: { POSTRIDER_ENGINE: 'bullmq', REDIS_URL: url, POSTRIDER_REDIS_PREFIX: prefix },
    async addJob(name, data, id) {
      await queue.add(name, data, { jobId: id, removeOnComplete: true, removeOnFail: true });
    },
    async close() {
      await queue.close();
      for (const key of await redis.keys(`${prefix}:*`)) await redis.del(key);
      redis.disconnect();
    },
  };
}
