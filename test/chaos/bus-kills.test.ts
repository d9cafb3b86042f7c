import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEventBus, type EventBus } from '../../src/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import {
  createTestDatabase,
  createTestVhost,
  describeWith,
  queryOnce,
  type TestDatabase,
  type TestVhost,
  waitFor,
} from '../services/index.js';
import { spawnChild } from './ground/spawn-child.js';

/**
 * Postrider on the bus, killed between any two of its steps. An event that is owed is published, under one id however
 * often; an event of another service starts one email; one that cannot be taken lies among the dead letters.
 */
let store: TestDatabase;
let vhost: TestVhost;
let listener: EventBus;
const heard: Array<{ id: string | null; type: string; data: { email_id?: string } }> = [];

const bus = () => ({
  ...{ url: vhost.url, service: 'kill-postrider', retryDelayMs: 1000, maxRetries: 0, timeoutMs: 5000 },
  emails: {
    'user.registered': {
      ...{ type: 'USER_CERTIFICATION', to: '$data.email' },
      data: { code: '$data.code', expiresInMinutes: 10 },
    },
  },
});
const open = async (killAt?: string) => {
  const child = spawnChild({
    ...{ database: store.url, smtpPort: 1, work: true, bus: bus() },
    ...(killAt !== undefined && { killAt }),
  });
  return child;
};
const until = <T>(what: string, condition: () => T | Promise<T>) =>
  waitFor(condition, { what, timeoutMs: 200_000, everyMs: 200 });
const rows = <Row>(sql: string) => queryOnce(store.url, sql) as Promise<Row[]>;

describeWith('postgres', 'rabbitmq')('killed on the bus', () => {
  beforeAll(async () => {
    [store, vhost] = await Promise.all([createTestDatabase(), createTestVhost()]);
    listener = createEventBus({ url: vhost.url, service: 'kill-listener', logger: silentLogger });
    listener.on('*', (event) => void heard.push(event as never));
    await listener.start();
    const first = await open();
    await first.next('ready');
    await until(
      'the ledger to listen',
      async () => (await rows('select 1 from postrider.bus_listening')).length > 0,
    );
    first.say({ do: 'stop', deadlineMs: 1000 });
    await first.gone;
  });
  afterAll(async () => {
    await listener?.stop();
    await Promise.all([store?.drop(), vhost?.drop()]);
  });

  it.each([
    ['bus:claimed', 1],
    ['bus:published', 2],
    ['bus:settled', 1],
  ])(
    'at %s → the event is published %s times, under one id, and its row is gone',
    async (place, times) => {
      const dying = await open(place);
      await dying.next('ready');
      const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
      dying.say({
        do: 'send',
        emails: [{ to: 'ann@example.net', subject: 'Later', text: 'Hi', scheduledAt }],
      });
      expect(await dying.gone).toBe('SIGKILL');
      expect(dying.diedAt()).toBe(place);
      const [email] = await rows<{ id: string }>('select id from postrider.emails order by id desc limit 1');
      // The lease of the dead process lasts 15 s; here it ends now.
      await rows('update postrider.bus_events set leased_until = now()');
      const next = await open();
      await next.next('ready');
      const ofIt = () => heard.filter(({ data }) => data.email_id === email!.id);
      await until('the event', () => ofIt().length >= times);
      await until(
        'nothing owed',
        async () => (await rows('select 1 from postrider.bus_events')).length === 0,
      );
      expect(ofIt()).toHaveLength(times);
      expect(new Set(ofIt().map(({ id }) => id)).size).toBe(1);
      next.kill();
      await next.gone;
    },
    300_000,
  );

  it.each(['intake:written', 'bus:taken'])(
    'at %s → the event of another service has one email',
    async (place) => {
      const to = `${place.replace(':', '-')}@example.net`;
      const dying = await open(place);
      await dying.next('ready');
      await listener.publish({ type: 'user.registered', data: { email: to, code: '123456' } });
      expect(await dying.gone).toBe('SIGKILL');
      expect(dying.diedAt()).toBe(place);
      const emails = () => rows(`select id from postrider.emails where to_address = '${to}'`);
      expect(await emails()).toHaveLength(place === 'bus:taken' ? 1 : 0);
      const next = await open();
      await next.next('ready');
      await until(
        'it taken',
        async () => (await emails()).length === 1 && (await depthOf('kill.queue.kill-postrider')) === 0,
      );
      expect(await emails()).toHaveLength(1);
      next.kill();
      await next.gone;
    },
    300_000,
  );

  it('at bus:delayed → the event that is due later starts one email, though it may come twice', async () => {
    const to = 'delayed@example.net';
    const dying = await open('bus:delayed');
    await dying.next('ready');
    const dueAt = Date.now() + 8000;
    await listener.publish({
      ...{ type: 'user.registered', data: { email: to, code: '123456' }, processAfterDelayMs: 8000 },
    });
    expect(await dying.gone).toBe('SIGKILL');
    expect(dying.diedAt()).toBe('bus:delayed');
    await expectOneEmail(to, dueAt);
  }, 300_000);

  it('killed while an event waits in the delay queue, and nobody is there when its round ends → one email, not before its time', async () => {
    const to = 'waiting@example.net';
    const dying = await open();
    await dying.next('ready');
    const dueAt = Date.now() + 8000;
    await listener.publish({
      ...{ type: 'user.registered', data: { email: to, code: '123456' }, processAfterDelayMs: 8000 },
    });
    await until('it to wait', async () => (await depthOf('kill.delay-queue.kill-postrider')) === 1);
    dying.kill();
    await dying.gone;
    await until('its round to end', async () => (await depthOf('kill.queue.kill-postrider')) === 1);
    await expectOneEmail(to, dueAt);
  }, 300_000);

  async function expectOneEmail(to: string, dueAt: number): Promise<void> {
    const emails = () =>
      rows<{ at: string }>(`
      select extract(epoch from created_at)::float8 * 1000 as at from postrider.emails where to_address = '${to}'`);
    const next = await open();
    await next.next('ready');
    await until('the email', async () => (await emails()).length > 0);
    await until(
      'no copy of the event left',
      async () =>
        (await depthOf('kill.delay-queue.kill-postrider')) + (await depthOf('kill.queue.kill-postrider')) ===
        0,
    );
    expect((await emails()).map(({ at }) => Number(at) >= dueAt)).toEqual([true]);
    next.kill();
    await next.gone;
  }

  it('at bus:dead-lettered → what cannot be taken is among the dead letters, perhaps twice', async () => {
    const dying = await open('bus:dead-lettered');
    await dying.next('ready');
    const id = await listener.publish({ type: 'user.registered', data: {} });
    expect(await dying.gone).toBe('SIGKILL');
    const next = await open();
    await next.next('ready');
    await until('an empty queue', async () => (await depthOf('kill.queue.kill-postrider')) === 0);
    next.kill();
    await next.gone;
    expect(await deadIds()).toEqual(new Set([id]));
  });

  it('at bus:retried → the dead letter has had its try and is still there, perhaps twice', async () => {
    const before = await deadIds();
    expect(before.size).toBe(1);
    const dying = await open('bus:retried');
    await dying.next('ready');
    dying.say({ do: 'act', method: 'bus.retry', args: [{ all: true }] });
    expect(await dying.gone).toBe('SIGKILL');
    expect(dying.diedAt()).toBe('bus:retried');
    const next = await open();
    await next.next('ready');
    await until('an empty queue', async () => (await depthOf('kill.queue.kill-postrider')) === 0);
    next.kill();
    await next.gone;
    expect(await deadIds()).toEqual(before);
  });

  async function deadIds(): Promise<Set<string | null>> {
    const service = { url: vhost.url, service: 'kill-postrider', logger: silentLogger };
    const letters = await createEventBus(service).deadLetters.list();
    return new Set(letters.map((letter) => letter.id));
  }

  async function depthOf(queue: string): Promise<number> {
    const { ready, unacknowledged } = (await vhost.queues()).find(({ name }) => name === queue)!;
    return ready + unacknowledged;
  }
});
