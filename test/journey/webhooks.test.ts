import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { Resend } from 'resend';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { claimDeliveries } from '../../src/events/claim-deliveries.js';
import { waitFor } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';

const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

interface Received {
  headers: IncomingHttpHeaders;
  raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look at whatever comes
  body: any;
}

/** An endpoint of an application, which answers as it is told. */
interface Receiver {
  url: string;
  got: Received[];
  answer: (response: ServerResponse, request: Received) => void;
  most: number;
  close(): Promise<void>;
}

async function openReceiver(): Promise<Receiver> {
  let open = 0;
  const receiver: Receiver = {
    url: '',
    got: [],
    most: 0,
    answer: (response) => response.end('thanks'),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const server: Server = createServer((request, response) => {
    open += 1;
    receiver.most = Math.max(receiver.most, open);
    response.on('close', () => {
      open -= 1;
    });
    let raw = '';
    request.on('data', (chunk) => {
      raw += chunk;
    });
    request.on('end', () => {
      const received = { headers: request.headers, raw, body: JSON.parse(raw) };
      receiver.got.push(received);
      receiver.answer(response, received);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

describe('webhooks', () => {
  let journey: Journey;
  let receiver: Receiver;

  beforeAll(async () => {
    journey = await openJourney({
      config: { webhooks: { allowPrivate: true, concurrency: 3 }, access: { secretKeys: KEYS } },
    });
    receiver = await openReceiver();
    await journey.postrider.start();
  });
  afterEach(async () => {
    for (const { id } of await journey.postrider.webhooks.list()) await journey.postrider.webhooks.remove(id);
    receiver.got.length = 0;
    receiver.answer = (response) => response.end('thanks');
  });
  afterAll(async () => {
    await journey.close();
    await receiver.close();
  });

  const got = (count: number, timeoutMs = 10_000) =>
    waitFor(() => receiver.got.length >= count && receiver.got, {
      timeoutMs,
      what: `${count} webhooks`,
    });
  const hurry = () =>
    journey.pool.query(
      'update postrider.webhook_deliveries set due_at = clock_timestamp() where due_at is not null and leased_until is null',
    );
  const deliveriesOf = async (id: string) => (await journey.postrider.webhooks.deliveries(id)).deliveries;

  test('an email is sent → its endpoint is told once, and both verifiers accept the signature', async () => {
    const { webhooks } = journey.postrider;
    const { id, secret } = await webhooks.create({ url: receiver.url, events: ['email.sent'] });
    const { emailId } = await journey.postrider.send(
      anEmail({ metadata: { tags: [{ name: 'kind', value: 'hello' }] } }),
    );
    const [told] = await got(1);
    expect(told!.body).toMatchObject({
      type: 'email.sent',
      data: {
        email_id: emailId,
        from: 'noreply@example.com',
        message_id: `<${emailId}@example.com>`,
        to: [expect.stringContaining('@example.net')],
        tags: { kind: 'hello' },
      },
    });
    const headers = told!.headers as Record<string, string>;
    expect(new Webhook(secret).verify(told!.raw, headers)).toEqual(told!.body);
    const verified = new Resend('re_test').webhooks.verify({
      payload: told!.raw,
      headers: {
        id: headers['svix-id']!,
        timestamp: headers['svix-timestamp']!,
        signature: headers['svix-signature']!,
      },
      webhookSecret: secret,
    });
    expect(verified).toEqual(told!.body);
    await waitFor(async () => (await deliveriesOf(id))[0]?.status === 'success', {
      timeoutMs: 5000,
      what: 'success',
    });
    expect(receiver.got).toHaveLength(1);
  });

  test('a transaction that is rolled back → nothing was said; one that commits late → it is', async () => {
    await journey.postrider.webhooks.create({ url: receiver.url, events: ['email.scheduled'] });
    const later = new Date(Date.now() + 3_600_000);
    const slow = await journey.pool.connect();
    await slow.query('begin');
    const { emailId } = await journey.postrider.schedule(anEmail(), later, { tx: slow });
    const undone = journey.postrider.transaction(async (tx) => {
      await journey.postrider.schedule(anEmail(), later, { tx });
      throw new Error('never mind');
    });
    await expect(undone).rejects.toThrow('never mind');
    const quick = await journey.postrider.schedule(anEmail(), later);
    await got(1);
    await slow.query('commit');
    slow.release();
    const told = await got(2);
    expect(told.map(({ body }) => body.data.email_id)).toEqual([quick.emailId, emailId]);
  });

  test('500, then a redirect, then 200 → tried again with the same id and body; redirects are not followed', async () => {
    const { id } = await journey.postrider.webhooks.create({ url: receiver.url, events: ['email.sent'] });
    const answers = [500, 302, 200];
    receiver.answer = (response) => {
      const status = answers.shift() ?? 200;
      response.writeHead(status, status === 302 ? { Location: `${receiver.url}/elsewhere` } : {});
      response.end(`said ${status}`);
    };
    await journey.postrider.send(anEmail());
    for (const count of [1, 2, 3]) {
      await got(count);
      await waitFor(async () => (await deliveriesOf(id))[0]?.attempts === count, {
        timeoutMs: 5000,
        what: `attempt ${count}`,
      });
      if (count === 1) {
        const { rows } = await journey.pool.query(
          `select extract(epoch from d.due_at - a.sent_at)::float8 as wait
           from postrider.webhook_deliveries d join postrider.webhook_attempts a on a.delivery_id = d.id`,
        );
        expect(rows[0].wait).toBeGreaterThan(4.4);
        // The answer's own time is in it.
        expect(rows[0].wait).toBeLessThan(20);
      }
      await hurry();
    }
    const [first, ...others] = receiver.got;
    for (const other of others) {
      expect(other.headers['webhook-id']).toBe(first!.headers['webhook-id']);
      expect(other.raw).toBe(first!.raw);
    }
    const [delivery] = await deliveriesOf(id);
    const detail = await journey.postrider.webhooks.delivery(id, delivery!.id);
    expect(detail.status).toBe('success');
    expect(detail.requests.map(({ httpStatus, response }) => [httpStatus, response])).toEqual([
      [500, 'said 500'],
      [302, 'said 302'],
      [200, 'said 200'],
    ]);
  });

  test('eight failures → failed; replay of the range → told again with the same id', async () => {
    const { id } = await journey.postrider.webhooks.create({ url: receiver.url, events: ['email.sent'] });
    receiver.answer = (response) => response.writeHead(503).end();
    await journey.postrider.send(anEmail());
    await got(1);
    await waitFor(
      async () => {
        await hurry();
        return (await deliveriesOf(id))[0]?.status === 'failed';
      },
      { timeoutMs: 30_000, what: 'the end' },
    );
    expect(receiver.got).toHaveLength(8);
    receiver.answer = (response) => response.end();
    const since = new Date(Date.now() - 60_000);
    const { replayed } = await journey.postrider.webhooks.replay(id, { since });
    expect(replayed).toBe(1);
    await got(9);
    expect(receiver.got[8]!.headers['webhook-id']).toBe(receiver.got[0]!.headers['webhook-id']);
  });

  test('the process that claimed it is gone → the next takes it when the lease ends, with the same id', async () => {
    const { id } = await journey.postrider.webhooks.create({
      url: receiver.url,
      events: ['email.scheduled'],
    });
    // As a process leaves it that dies after its claim: under a lease, with a token nobody will name again.
    const dead = await journey.pool.connect();
    await dead.query('begin');
    const { emailId } = await journey.postrider.schedule(anEmail(), new Date(Date.now() + 3_600_000), {
      tx: dead,
    });
    await dead.query(
      `update postrider.webhook_deliveries set token = 7, leased_until = clock_timestamp() + interval '1500 ms',
         due_at = clock_timestamp() + interval '1500 ms' where email_id = $1`,
      [emailId],
    );
    await dead.query('commit');
    dead.release();
    const committedAt = performance.now();
    const [told] = await got(1);
    expect(performance.now() - committedAt).toBeGreaterThan(1000);
    const [delivery] = await deliveriesOf(id);
    expect(told!.headers['webhook-id']).toBe(`msg_${delivery!.id}`);
  });

  test('a secret is rotated → both verify until the overlap ends', async () => {
    const { webhooks } = journey.postrider;
    const { id, secret: old } = await webhooks.create({ url: receiver.url, events: ['email.sent'] });
    const { secret: fresh } = await webhooks.rotate(id);
    await journey.postrider.send(anEmail());
    const [both] = await got(1);
    for (const secret of [old, fresh])
      expect(new Webhook(secret).verify(both!.raw, both!.headers as Record<string, string>)).toBeTruthy();
    await journey.pool.query(
      "update postrider.webhook_endpoints set old_secret_until = now() - interval '1 s'",
    );
    await journey.postrider.send(anEmail());
    const [, alone] = await got(2);
    const headers = alone!.headers as Record<string, string>;
    expect(new Webhook(fresh).verify(alone!.raw, headers)).toBeTruthy();
    expect(() => new Webhook(old).verify(alone!.raw, headers)).toThrow();
  });

  test('nothing got through for days → the endpoint is disabled and another one of the company is told', async () => {
    const { webhooks } = journey.postrider;
    const other = await openReceiver();
    const { id } = await webhooks.create({ url: receiver.url, events: ['email.sent'] });
    await webhooks.create({ url: other.url, events: ['webhook.disabled'] });
    await journey.pool.query(
      "update postrider.webhook_endpoints set failing_since = now() - interval '6 days' where id = $1",
      [id],
    );
    receiver.answer = (response) => response.writeHead(500).end();
    await journey.postrider.send(anEmail());
    await waitFor(() => other.got.length > 0, { timeoutMs: 10_000, what: 'the notice' });
    expect(other.got[0]!.body).toMatchObject({ type: 'webhook.disabled', data: { webhook_id: id } });
    const disabled = await webhooks.get(id);
    expect([disabled.status, disabled.disabledReason]).toEqual([
      'disabled',
      expect.stringContaining('nothing reached it since'),
    ]);
    expect(journey.lines.some((line) => line.includes('webhook endpoint disabled'))).toBe(true);
    const enabled = await webhooks.change(id, { status: 'enabled' });
    expect([enabled.status, enabled.failingSince]).toEqual(['enabled', null]);
    await other.close();
  });

  test('410 Gone → disabled at once, and no other endpoint is', async () => {
    const { webhooks } = journey.postrider;
    const other = await webhooks.create({ url: receiver.url, events: ['email.bounced'] });
    const { id } = await webhooks.create({ url: receiver.url, events: ['email.sent'] });
    receiver.answer = (response) => response.writeHead(410).end();
    await journey.postrider.send(anEmail());
    await waitFor(async () => (await journey.postrider.webhooks.get(id)).status === 'disabled', {
      timeoutMs: 5000,
      what: 'the endpoint to be disabled',
    });
    expect((await webhooks.get(other.id)).status).toBe('enabled');
  });

  test("a company's only endpoint is given up → its contact and the admins get one email each, and the log has it", async () => {
    const { webhooks, access } = journey.postrider;
    await access.tenants.create({ companyId: 'lonely', contact: 'ops@lonely.example' });
    const password = 'a long and unlikely one';
    for (const [email, role] of [
      ['first@example.com', 'admin'],
      ['looks@example.com', 'viewer'],
      ['gone@example.com', 'admin'],
    ])
      await access.admins.create({ email, role, password });
    await access.admins.change('gone@example.com', { disabled: true });
    const url = `${receiver.url}?token=secret`;
    const { id } = await webhooks.create({ url, events: ['email.sent'], companyId: 'lonely' });
    receiver.answer = (response) => response.writeHead(410).end();
    const notices = () =>
      journey.provider.calls.filter(({ subject }) => subject.startsWith('Webhook turned off'));
    // Twice: turned on again it is given up again, and told of again, once.
    for (const round of [1, 2]) {
      await journey.postrider.send(anEmail({ companyId: 'lonely' }));
      await waitFor(async () => (await webhooks.get(id)).status === 'disabled', {
        ...{ timeoutMs: 20_000, what: 'the endpoint to be given up' },
      });
      await waitFor(() => notices().length >= 2 * round, { timeoutMs: 20_000, what: 'the notices' });
      const { rowCount } = await journey.pool.query(
        "select 1 from postrider.emails where type = 'webhook_disabled'",
      );
      expect([rowCount, notices().length]).toEqual([2 * round, 2 * round]);
      if (round === 1) await webhooks.change(id, { status: 'enabled' });
    }
    const people = ['first@example.com', 'ops@lonely.example'];
    expect(
      notices()
        .map(({ to }) => to)
        .sort(),
    ).toEqual(people.flatMap((one) => [one, one]));
    const { text } = notices()[0]!.email;
    expect(text).toContain('A webhook of lonely was turned off: it answered 410 Gone.');
    expect(text).toContain(id);
    expect(text).not.toContain('secret');
    const shown = await webhooks.get(id);
    expect([shown.disabledReason, shown.disabledAt]).toEqual(['it answered 410 Gone', expect.any(String)]);
    const { entries } = await access.audit.list({ action: 'webhook.disable', companyId: 'lonely' });
    expect(entries).toHaveLength(2);
    expect(entries[0]).toMatchObject({ target: id, companyId: 'lonely', detail: { told: 2 } });
    const own = await Promise.all(notices().map((call) => journey.postrider.get(call.id)));
    expect(own.map((log) => log?.companyId)).toEqual(['default', 'default', 'default', 'default']);
    // As if it had been turned on and given up all the time: nobody's mailbox is filled.
    await journey.pool.query(`insert into postrider.audit_log (actor_kind, actor_name, action, tenant, outcome)
      select 'library', 'postrider', 'webhook.disable', 'lonely', 'done' from generate_series(1, 18)`);
    await webhooks.change(id, { status: 'enabled' });
    await journey.postrider.send(anEmail({ companyId: 'lonely' }));
    await waitFor(async () => (await webhooks.get(id)).status === 'disabled', {
      ...{ timeoutMs: 20_000, what: 'the endpoint to be given up' },
    });
    const log = await access.audit.list({ action: 'webhook.disable', companyId: 'lonely', limit: 1 });
    expect(log.entries[0]).toMatchObject({ target: id, detail: { told: 0 } });
  });

  test('twenty events for an endpoint of three at once → never more than three, all arrive once', async () => {
    await journey.postrider.webhooks.create({ url: receiver.url, events: ['email.sent'] });
    const held: ServerResponse[] = [];
    receiver.most = 0;
    receiver.answer = (response) => held.push(response);
    await journey.postrider.sendBatch(Array.from({ length: 20 }, () => anEmail()));
    while (receiver.got.length < 20 || held.length > 0) {
      await waitFor(() => held.length > 0, { timeoutMs: 10_000, what: 'a request' });
      held.shift()!.end();
    }
    expect(receiver.most).toBeLessThanOrEqual(3);
    expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size).toBe(20);
  });

  test('an answer without end → what it began with is kept, and its status counts', async () => {
    const { id } = await journey.postrider.webhooks.create({ url: receiver.url, events: ['email.sent'] });
    receiver.answer = (response) => {
      const more = () => {
        if (!response.destroyed) response.write('x'.repeat(1024), more);
      };
      more();
    };
    await journey.postrider.send(anEmail());
    await waitFor(async () => (await deliveriesOf(id))[0]?.status === 'success', {
      timeoutMs: 10_000,
      what: 'success',
    });
    const [delivery] = await deliveriesOf(id);
    const { requests } = await journey.postrider.webhooks.delivery(id, delivery!.id);
    expect(requests[0]!.response).toHaveLength(1000);
  });

  test('another company’s email → not told', async () => {
    await journey.postrider.webhooks.create({ url: receiver.url, companyId: 'alpha' });
    await journey.postrider.send({ ...anEmail(), companyId: 'bravo' });
    const mine = await journey.postrider.send({ ...anEmail(), companyId: 'alpha' });
    const [told] = await got(1);
    expect(told!.body.data.email_id).toBe(mine.emailId);
    const { rows } = await journey.pool.query('select distinct tenant from postrider.webhook_deliveries');
    expect(rows).toEqual([{ tenant: 'alpha' }]);
  });

  test('a person is erased → nothing of what was told about them is kept', async () => {
    const { id } = await journey.postrider.webhooks.create({ url: receiver.url, events: ['email.sent'] });
    const email = anEmail();
    await journey.postrider.send(email);
    await got(1);
    await waitFor(async () => (await deliveriesOf(id))[0]?.status === 'success', {
      timeoutMs: 5000,
      what: 'it',
    });
    const [delivery] = await deliveriesOf(id);
    await journey.postrider.erase({ email: email.to });
    expect(await deliveriesOf(id)).toEqual([]);
    const { rows } = await journey.pool.query(
      'select 1 from postrider.webhook_attempts where delivery_id = $1',
      [delivery!.id],
    );
    expect(rows).toEqual([]);
  });

  test('secrets and bodies → in no log line', async () => {
    const { secret } = await journey.postrider.webhooks.create({ url: receiver.url, events: ['email.sent'] });
    const { emailId } = await journey.postrider.send(anEmail({ subject: 'a-subject-to-look-for' }));
    await got(1);
    await waitFor(() => journey.lines.some((line) => line.includes('webhook delivered')), {
      timeoutMs: 5000,
      what: 'the line',
    });
    expect(emailId).toBeTruthy();
    expect(journey.lines.filter((line) => line.includes(secret) || line.includes('to-look-for'))).toEqual([]);
  });
});

describe('webhooks that are owed', () => {
  let journey: Journey;
  beforeAll(async () => {
    journey = await openJourney({ config: { access: { secretKeys: KEYS } } });
    await journey.postrider.ready();
  });
  afterAll(() => journey.close());

  test('a transaction that owes one commits → whoever listens hears it; rolled back → nobody', async () => {
    const { url } = journey;
    await journey.postrider.webhooks.create({ url: 'https://example.com/hook', events: ['email.scheduled'] });
    const listener = new pg.Client({ connectionString: url });
    const heard: string[] = [];
    listener.on('notification', ({ channel }) => heard.push(channel));
    await listener.connect();
    await listener.query('listen postrider_webhooks');
    const at = new Date(Date.now() + 3_600_000);
    const undone = journey.postrider.transaction(async (tx) => {
      await journey.postrider.schedule(anEmail(), at, { tx });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await listener.query('select 1');
    expect(heard).toEqual([]);
    await journey.postrider.schedule(anEmail(), at);
    await waitFor(() => heard.length > 0, { timeoutMs: 20_000, what: 'the bell' });
    await listener.end();
  });

  test('one tenant with many endpoints → holds no more places than it leaves free, and others come in between', async () => {
    const database = await journey.postrider.ready();
    await journey.pool.query('delete from postrider.webhook_deliveries');
    await journey.pool.query(`
      with made as (
        insert into postrider.webhook_endpoints (tenant, url, events)
        select case when n <= 40 then 'many' else 'few' end, 'https://example.com/' || n, '{email.sent}'
        from generate_series(1, 41) n returning id, tenant
      )
      insert into postrider.webhook_deliveries (endpoint_id, tenant, type, payload, due_at)
      select id, tenant, 'email.sent', '{}', now() - interval '1 minute' from made, generate_series(1, 5)`);
    const claim = async (free: number, taken: Record<string, number>) => {
      const places = { free, taken: new Map(Object.entries(taken)) };
      const due = await claimDeliveries(database, { places, perEndpoint: 5, leaseMs: 60_000 });
      const of = (tenant: string) => due.filter((one) => one.tenant === tenant).length;
      return { many: of('many'), few: of('few') };
    };
    // In turns: the k-th is taken while its tenant's count is within what is then free.
    expect(await claim(8, {})).toEqual({ many: 3, few: 3 });
    expect(await claim(5, { many: 5 })).toEqual({ many: 0, few: 2 });
    expect(await claim(100, { many: 20 })).toEqual({ many: 40, few: 0 });
  });

  test('a process that is alone with an endpoint → may hold more than are requested at once; beside another one → not', async () => {
    const database = await journey.postrider.ready();
    await journey.pool.query('delete from postrider.webhook_deliveries');
    await journey.pool.query('delete from postrider.webhook_endpoints');
    const { id: endpointId } = await journey.postrider.webhooks.create({ url: 'https://example.com/one' });
    await journey.pool.query(
      `insert into postrider.webhook_deliveries (endpoint_id, tenant, type, payload)
       select $1, 'default', 'email.sent', '{}' from generate_series(1, 200)`,
      [endpointId],
    );
    const claim = async (shares: Array<{ held: number; room: number }>) =>
      claimDeliveries(database, {
        ...{ places: { free: 1000, taken: new Map() }, perEndpoint: 5, leaseMs: 60_000 },
        shares: shares.map((share) => ({ endpointId, ...share })),
      });
    const settle = (deliveries: ReadonlyArray<{ id: string }>) =>
      journey.pool.query(
        "update postrider.webhook_deliveries set status = 'success', due_at = null, leased_until = null where id = any ($1)",
        [deliveries.map(({ id }) => id)],
      );
    // Nobody knows the endpoint yet.
    const first = await claim([]);
    expect(first).toHaveLength(5);
    await settle(first);
    const many = await claim([{ held: 0, room: 60 }]);
    expect(many).toHaveLength(60);
    expect(await claim([{ held: 60, room: 20 }])).toHaveLength(20);
    // Another process.
    expect(await claim([])).toEqual([]);
    expect(await claim([{ held: 0, room: 100 }])).toEqual([]);
    await journey.pool.query(
      'update postrider.webhook_deliveries set leased_until = null, due_at = null where leased_until is not null',
    );
    // Two of them at once: together they keep within five, and the one with fewer takes no more.
    expect(await claim([{ held: 0, room: 3 }])).toHaveLength(3);
    expect(await claim([])).toHaveLength(2);
    expect(await claim([{ held: 2, room: 100 }])).toEqual([]);
    await journey.pool.query(
      'update postrider.webhook_deliveries set leased_until = null, due_at = null where id = any ($1)',
      [
        (
          await journey.pool.query(
            'select id from postrider.webhook_deliveries where leased_until is not null limit 1',
          )
        ).rows.map(({ id }) => id),
      ],
    );
    expect(await claim([{ held: 1, room: 100 }])).toEqual([]);
    expect(await claim([{ held: 2, room: 100 }])).toHaveLength(1);
  });
});
