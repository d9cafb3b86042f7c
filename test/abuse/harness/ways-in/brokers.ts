import { randomUUID } from 'node:crypto';
import { type Attack, type Outcome, STALL_MS } from '../attack.js';
import { BUS_SERVICE, EVENT, hasEngine } from '../brokers.js';
import { type Entry, odd, oddJson, structures, tokens } from '../dictionary.js';
import type { Target } from '../target.js';
import { placesOf } from './http.js';

/**
 * What comes through brokers: emails of other services on RabbitMQ, events of the bus, jobs of BullMQ. A message is done
 * with when an ordinary one that was put in behind it is.
 */
const KB = 1024;
const MB = 1024 ** 2;
/** A message of RabbitMQ may be 16 MB at most, as a body of HTTP. */
const MESSAGE_BYTES = 15 * MB;
const CONTENT_BYTES = 511 * KB;
/** What a property of a message holds. */
const PROPERTY_BYTES = 255;

const EMAIL = {
  ...{ type: 'order', to: 'a@example.net', subject: 'x', text: 'x', html: '<p>x</p>', from: 'a@example.com' },
  ...{
    companyId: 'default',
    userId: 'u',
    lang: 'en',
    category: 'orders',
    scheduledAt: '2026-01-31T09:00:00Z',
  },
  ...{ headers: { 'X-A': 'b' }, metadata: { a: ['b'] }, cc: ['c@example.net'], replyTo: 'd@example.net' },
  attachments: [{ filename: 'a.txt', content: 'NDI=', contentType: 'text/plain' }],
};
const OF_BUS = {
  ...{ id: 'event-id', type: EVENT, source: 'shop', occurredAt: '2026-01-31T09:00:00Z' },
  ...{ companyId: 'default', processAfterDelayMs: 0 },
  data: { email: 'a@example.net', subject: 'x', text: 'x', more: 'x' },
};
const JOB = {
  ...{ outboxId: 'job-id', companyId: 'default', requestId: 'r', to: 'a@example.net', subject: 's' },
  ...{ recipient: { recipientId: 'r', externalId: 'e', email: 'a@example.net' }, attempt: 1, priority: 1 },
};

export function* brokerAttacks(): Generator<Attack> {
  if (hasEngine('rabbitmq')) {
    yield* bodies('AMQP email.send', EMAIL, 'rabbitmq', MESSAGE_BYTES, publishEmail);
    yield* bodies('bus event', OF_BUS, 'rabbitmq', MESSAGE_BYTES, publishEvent);
    for (const property of ['messageId', 'correlationId', 'type', 'appId', 'contentType', 'contentEncoding'])
      for (const entry of [...tokens, ...odd])
        for (const [wayIn, publish] of [
          ['AMQP email.send', publishEmail],
          ['bus event', publishEvent],
        ] as const)
          yield attack(wayIn, `property ${property}`, entry, PROPERTY_BYTES, 'rabbitmq', (target, text) =>
            publish(target, JSON.stringify(wayIn === 'bus event' ? OF_BUS : EMAIL), {
              [property]: cut(text),
            }),
          );
    for (const header of ['x-death', 'x-retry-count', 'x-email-id', 'x-final-error', 'a'])
      for (const entry of [...tokens, ...odd])
        yield attack('bus event', `header ${header}`, entry, 60 * KB, 'rabbitmq', (target, text) =>
          publishEvent(target, JSON.stringify(OF_BUS), { headers: { [header]: text } }),
        );
  }
  if (hasEngine('bullmq')) yield* bodies('BullMQ email-send', JOB, 'bullmq', CONTENT_BYTES, addJob);
}

type Put = (target: Target, body: string, more?: object) => Promise<Outcome>;

function* bodies(
  wayIn: string,
  example: object,
  engine: 'rabbitmq' | 'bullmq',
  most: number,
  put: Put,
): Generator<Attack> {
  const whole = (entry: Entry, bytes: number) =>
    attack(wayIn, 'body', entry, bytes, engine, (target, text) => put(target, text));
  yield whole({ name: 'the example itself', make: () => JSON.stringify(example) }, 0);
  for (const entry of [...structures, ...tokens]) yield whole(entry, most);
  for (const [name, json] of oddJson) yield whole({ name, make: () => json }, 0);
  for (const place of placesOf(example)) {
    const text = (entry: Entry, bytes: number) =>
      attack(wayIn, place.name, entry, bytes, engine, (target, made) =>
        put(target, place.put(JSON.stringify(made))),
      );
    for (const entry of tokens) yield text(entry, CONTENT_BYTES);
    for (const entry of odd) yield text(entry, 0);
    if (place.isName) continue;
    for (const entry of structures)
      yield attack(wayIn, place.name, entry, CONTENT_BYTES, engine, (target, text) =>
        put(target, place.put(text)),
      );
    for (const [name, json] of oddJson)
      yield attack(wayIn, place.name, { name, make: () => json }, 0, engine, (target, text) =>
        put(target, place.put(text)),
      );
  }
}

function attack(
  wayIn: string,
  field: string,
  entry: Entry,
  bytes: number,
  engine: 'rabbitmq' | 'bullmq',
  run: (target: Target, text: string) => Promise<Outcome>,
): Attack {
  return {
    ...{ wayIn, field, entry: entry.name, bytes: Math.max(bytes, 4 * KB), engine },
    // The frames of a message arrive in one turn, and its body is copied into one.
    budget: { stallMs: STALL_MS, memoryBytes: 4 * bytes + 32 * MB },
    run: (target) => run(target, entry.make(bytes)),
  };
}

const cut = (text: string) => Buffer.from(text).subarray(0, PROPERTY_BYTES).toString().slice(0, 80);

async function publishEmail(target: Target, body: string, more: object = {}): Promise<Outcome> {
  // A second message of the same id is a repetition of the first, and refused where it says something else.
  const to = () => ({ exchange: 'EmailExchange', routingKey: 'email.send', messageId: randomUUID() });
  await target.broker.publish({ ...to(), contentType: 'application/json', ...more }, Buffer.from(body));
  return followedBy(target, (address) =>
    target.broker.publish(
      to(),
      Buffer.from(JSON.stringify({ ...EMAIL, to: address, scheduledAt: undefined, cc: undefined })),
    ),
  );
}

async function publishEvent(target: Target, body: string, more: object = {}): Promise<Outcome> {
  const named = (text: string, id: string) => Buffer.from(text.replace('event-id', id));
  const to = { exchange: `${BUS_SERVICE.split('-')[0]}.main-exchange`, routingKey: '' };
  await target.broker.publish({ ...to, contentType: 'application/json', ...more }, named(body, randomUUID()));
  return followedBy(target, (address) =>
    target.broker.publish(
      to,
      named(JSON.stringify({ ...OF_BUS, data: { ...OF_BUS.data, email: address } }), randomUUID()),
    ),
  );
}

async function addJob(target: Target, body: string): Promise<Outcome> {
  const id = randomUUID();
  let data: unknown;
  try {
    data = JSON.parse(body.replace('job-id', id));
  } catch {
    data = body; // a job holds any text, too
  }
  await target.broker.addJob('email:send', data, id);
  return followedBy(target, async (address) => {
    await target.ask({
      ...{ method: 'POST', path: '/v1/email/send', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify({ to: address, subject: 'Hello', text: 'Hello' }),
    });
  });
}

let count = 0;

/** An ordinary one behind it must be sent, however bad the one before was. */
async function followedBy(target: Target, put: (address: string) => Promise<void>): Promise<Outcome> {
  count += 1;
  const address = `behind-${count}@example.net`;
  await put(address);
  const until = performance.now() + 30_000;
  while (performance.now() < until && target.victim.running()) {
    if (target.sink.taken(address) > 0) return { status: 'taken', answerBytes: 0 };
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { status: 'held up', answerBytes: 0, wrong: 'an ordinary message behind it is not sent' };
}
