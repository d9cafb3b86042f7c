import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { forgetOldBusRows } from '../../src/events/index.js';
import { createEventBus, createPostrider, type EventBus, type Postrider } from '../../src/index.js';
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
import { openDoor } from './ground/open-door.js';
import { rejected, scriptedProvider } from './ground/scripted-provider.js';

/** Postrider on the bus: events of emails out, emails from events of others in. */
let store: TestDatabase;
let vhost: TestVhost;
let postrider: Postrider;
let service: EventBus;
let prefixes = 0;
let prefix: string;
let heard: Array<{
  id: string | null;
  type: string;
  companyId: string | null;
  data: Record<string, unknown>;
}>;

const until = <T>(what: string, condition: () => T | Promise<T>) =>
  waitFor(condition, { what, timeoutMs: 20_000 });
const emails = {
  'user.registered': {
    ...{ type: 'USER_CERTIFICATION', to: '$data.email', companyId: '$companyId?', lang: '$data.language?' },
    data: { code: '$data.code', expiresInMinutes: 10 },
  },
};

function open(bus: object = {}, provider = scriptedProvider()): Postrider {
  return createPostrider({
    ...{ database: store.url, provider, logger: silentLogger },
    from: { address: 'noreply@example.com' },
    config: {
      limits: { enabled: false },
      bus: { url: vhost.url, service: `${prefix}-postrider`, retryDelayMs: 60, maxRetries: 2, ...bus },
    },
  });
}

describeWith('postgres', 'rabbitmq')('Postrider on the bus', () => {
  beforeAll(async () => {
    [store, vhost] = await Promise.all([createTestDatabase(), createTestVhost()]);
  });
  afterAll(() => Promise.all([store?.drop(), vhost?.drop()]));
  beforeEach(async () => {
    prefix = `t${++prefixes}`;
    heard = [];
    service = createEventBus({ url: vhost.url, service: `${prefix}-listener`, logger: silentLogger });
    service.on('*', (event) => void heard.push(event as never));
    await service.start();
  });
  afterEach(async () => {
    await postrider?.stop({ deadlineMs: 2000 });
    await service.stop();
  });
  const typed = (type: string) => heard.filter((event) => event.type === type);

  test('an email is sent, another cancelled → each event once, with its company and what it is about', async () => {
    postrider = open();
    await postrider.start();
    await until('the ledger to listen', async () => (await postrider.waitingForBus()) !== null);
    const { emailId } = await postrider.send({
      to: 'ann@example.net',
      subject: 'Hello',
      text: 'Hi',
      companyId: 'acme',
    });
    const later = await postrider.schedule(
      { to: 'ben@example.net', subject: 'Later', text: 'Hi' },
      new Date(Date.now() + 3_600_000),
    );
    await postrider.cancel(later.emailId);
    await until('three events', () => heard.length >= 3);
    expect(typed('email.sent')).toMatchObject([
      {
        companyId: 'acme',
        source: `${prefix}-postrider`,
        data: { email_id: emailId, to: ['ann@example.net'], subject: 'Hello', from: 'noreply@example.com' },
      },
    ]);
    expect(typed('email.scheduled')).toMatchObject([{ data: { email_id: later.emailId } }]);
    expect(typed('email.canceled')).toMatchObject([{ data: { email_id: later.emailId } }]);
    await until('nothing owed', async () => (await postrider.waitingForBus()) === 0);
    expect(new Set(heard.map(({ id }) => id)).size).toBe(3);
  });

  test('an email fails, a provider reports a bounce → both are told, with the reason', async () => {
    const provider = scriptedProvider();
    provider.script('bad@example.net', rejected);
    postrider = open({}, provider);
    await postrider.start();
    await until('the ledger to listen', async () => (await postrider.waitingForBus()) !== null);
    const bad = await postrider.send({ to: 'bad@example.net', subject: 'Bad', text: 'Hi' });
    const fine = await postrider.send({ to: 'fine@example.net', subject: 'Fine', text: 'Hi' });
    await until('both ends', () => typed('email.failed').length > 0 && typed('email.sent').length > 0);
    await queryOnce(
      store.url,
      `insert into postrider.email_facts (email_id, type, detail)
       values ('${fine.emailId}', 'BOUNCED', '{"bounce":{"type":"Permanent"}}')`,
    );
    await until('the bounce', () => typed('email.bounced').length > 0);
    expect(typed('email.failed')).toMatchObject([
      { data: { email_id: bad.emailId, failed: { code: 'SMTP_550', reason: 'no such user' } } },
    ]);
    expect(typed('email.bounced')).toMatchObject([
      { data: { email_id: fine.emailId, bounce: { type: 'Permanent' } } },
    ]);
  });

  test('only some types wanted → only those are noted and published', async () => {
    postrider = open({ events: ['email.failed'] });
    await postrider.start();
    await until('the ledger to listen', async () => (await postrider.waitingForBus()) !== null);
    const { emailId } = await postrider.send({ to: 'ann@example.net', subject: 'Fine', text: 'Hi' });
    await until('it sent', async () => (await postrider.get(emailId))!.status === 'sent');
    expect(await postrider.waitingForBus()).toBe(0);
    expect(typed('email.sent')).toEqual([]);
  });

  test('a business event, delivered twice → one email of the mapped type, data and company', async () => {
    postrider = open({ emails });
    await postrider.start();
    const event = {
      type: 'user.registered',
      id: `${prefix}-1`,
      companyId: 'acme',
      data: { email: 'new@example.net', code: '123456', language: 'de' },
    };
    await service.publish(event);
    await service.publish(event);
    await until(
      'the email',
      async () => (await postrider.list({ recipient: 'new@example.net' })).emails.length > 0,
    );
    await until('both', async () => (await depth()) === 0);
    const { emails: found } = await postrider.list({ recipient: 'new@example.net' });
    expect(found).toMatchObject([{ type: 'USER_CERTIFICATION', companyId: 'acme', lang: 'de' }]);
  });

  test.each([
    ['a field is missing', { email: 'x@example.net' }, 422, /no data\.code/],
    ['the address is none', { email: 'nobody', code: '123456' }, 400, /INVALID_EMAIL/],
    ['the data does not fit', { email: 'x@example.net', code: { a: 1 } }, 400, /data\.code/],
  ])(
    '%s → retried, then the dead-letter queue with the reason, and no email',
    async (_, data, status, reason) => {
      postrider = open({ emails });
      await postrider.start();
      await service.publish({ type: 'user.registered', data });
      const dead = createEventBus({
        url: vhost.url,
        service: `${prefix}-postrider`,
        logger: silentLogger,
      }).deadLetters;
      const [letter] = await until('the dead letter', async () => {
        const letters = await dead.list();
        return letters.length > 0 && letters;
      });
      expect(letter).toMatchObject({
        finalStatusCode: status,
        finalError: expect.stringMatching(reason),
        finalRetryCount: 2,
      });
      expect((await postrider.list({ recipient: 'x@example.net' })).emails).toEqual([]);
    },
  );

  test('over HTTP → what waits, what could not be taken and why, and putting it back, with a line in the audit log', async () => {
    const bus = { url: vhost.url, service: `${prefix}-postrider`, retryDelayMs: 60, maxRetries: 0, emails };
    const door = await openDoor({ config: { bus, limits: { enabled: false } } });
    try {
      const none = await openDoor({});
      const asked = await none.call('GET', '/admin/bus/dead-letters');
      expect([asked.status, asked.body.code]).toEqual([404, 'BUS_NOT_FOUND']);
      expect((await none.call('GET', '/admin/bus')).body.waiting).toBeNull();
      await none.close();
      await door.postrider.start();
      await until('the ledger to listen', async () => (await door.postrider.waitingForBus()) !== null);
      const data = { email: 'nobody', code: 'SECRET-7' };
      const id = await service.publish({ type: 'user.registered', data });
      const list = () => door.call('GET', '/admin/bus/dead-letters?limit=10');
      await until('the dead letter', async () => (await list()).body.messages?.length === 1);
      const { body, text } = await list();
      expect(body.messages[0]).toMatchObject({ id, type: 'user.registered', finalStatusCode: 400 });
      expect(text).not.toContain('SECRET-7');
      expect((await door.call('GET', '/admin/bus')).body).toEqual({
        service: `${prefix}-postrider`,
        waiting: 0,
      });
      const retry = (which: object) => door.call('POST', '/admin/bus/dead-letters/retry', { body: which });
      expect((await retry({})).status).toBe(400);
      expect((await retry({ messageIds: ['other'] })).body).toEqual({
        ...{ retried: 0, left: 1, notFound: ['other'] },
      });
      expect((await retry({ messageIds: [id] })).body).toMatchObject({ retried: 1, notFound: [] });
      await until('it back', async () => (await list()).body.messages?.length === 1);
      const { rows } = await door.pool.query(
        `select 1 from postrider.audit_log where action like '%/admin/bus/dead-letters/retry'`,
      );
      expect(rows.length).toBeGreaterThan(0);
      const { body: figures, text: said } = await door.call('GET', '/metrics');
      expect(said ?? figures).toMatch(/postrider_bus_events_total\{what="dead_lettered"\} 2/);
      expect(said ?? figures).toMatch(/postrider_bus_waiting_events 0/);
    } finally {
      await door.close();
    }
  });

  test('the broker is away at start → emails go out, their events wait and are published when it is back', async () => {
    const url = new URL(vhost.url);
    url.port = '1';
    postrider = open({ url: url.href, timeoutMs: 500 });
    await postrider.start();
    await until('the ledger to listen', async () => (await postrider.waitingForBus()) !== null);
    const { emailId } = await postrider.send({ to: 'ann@example.net', subject: 'Hello', text: 'Hi' });
    await until('it sent', async () => (await postrider.get(emailId))!.status === 'sent');
    expect(await postrider.waitingForBus()).toBeGreaterThan(0);
    await postrider.stop({ deadlineMs: 1000 });
    postrider = open();
    await postrider.start();
    await until('the event', () => typed('email.sent').length > 0);
    expect(typed('email.sent')[0]!.data.email_id).toBe(emailId);
  });

  test('leaving the bus → nothing is noted any more; a store that never joined has no trigger', async () => {
    postrider = open({ url: null });
    await postrider.start();
    await postrider.leaveBus();
    const triggers = await queryOnce(store.url, `select tgname from pg_trigger where tgname like '%_to_bus'`);
    expect(triggers).toEqual([]);
    await postrider.send({ to: 'ann@example.net', subject: 'Hello', text: 'Hi' });
    expect(await postrider.waitingForBus()).toBeNull();
  });

  test('leaving the bus beside a long transaction → waits for it instead of failing', async () => {
    postrider = open({ url: null });
    const database = await postrider.ready();
    await queryOnce(store.url, `select postrider.listen_for_bus(array['email.scheduled'])`);
    let left = false;
    let leaving: Promise<number> | null = null;
    await database.transaction(async (tx) => {
      await tx.query('lock table postrider.email_facts in row exclusive mode');
      leaving = postrider.leaveBus().finally(() => {
        left = true;
      });
      // Longer than one try at the lock.
      await tx.query('select pg_sleep(2)');
      expect(left).toBe(false);
    });
    expect(await leaving).toBe(0);
    expect(await postrider.waitingForBus()).toBeNull();
  });

  test('a person is erased → what waits for the bus about them is gone', async () => {
    postrider = open({ url: null });
    await postrider.ready();
    await queryOnce(store.url, `select postrider.listen_for_bus(array['email.scheduled'])`);
    await postrider.schedule(
      { to: 'gone@example.net', subject: 'Later', text: 'Hi' },
      new Date(Date.now() + 3_600_000),
    );
    expect(await postrider.waitingForBus()).toBe(1);
    await postrider.erase({ email: 'gone@example.net' });
    expect(await postrider.waitingForBus()).toBe(0);
  });

  test('an event that no broker took for so long → forgotten and counted, with the memory of events taken', async () => {
    postrider = open({ url: null });
    const database = await postrider.ready();
    await database.script(`
      delete from postrider.bus_events;
      delete from postrider.bus_received;
      insert into postrider.bus_events (id, tenant, type, email_id, payload)
      select i, 'acme', 'email.sent', i, '{}' from (values
        (postrider.id_floor(now() - interval '31 days')), (postrider.id_floor(now()))) v(i);
      insert into postrider.bus_received (source, type, event_id, received_at)
      values ('', 'x', 'old', now() - interval '31 days'), ('', 'x', 'new', now())`);
    expect(await forgetOldBusRows(database, 30)).toBe(1);
    const left = await database.query(
      'select (select count(*)::int from postrider.bus_events) as events, (select event_id from postrider.bus_received) as taken',
    );
    expect(left.rows).toEqual([{ events: 1, taken: 'new' }]);
  });

  async function depth(): Promise<number> {
    const queue = `${prefix}.queue.${prefix}-postrider`;
    const { ready, unacknowledged } = (await vhost.queues()).find(({ name }) => name === queue)!;
    return ready + unacknowledged;
  }
});
