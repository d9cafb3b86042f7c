import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { createPostrider, type Postrider } from '../../src/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import { freePort, waitFor } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';
import { deferred, gate, scriptedProvider } from './ground/scripted-provider.js';

/** Telling people when mail stops: episodes over a real ledger, and a receiver of all the ways out. */
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const QUICK = {
  ...{ intervalMs: 100, holdMs: 300, silentMs: 500, waitingMs: 60_000, routeMs: 300, heartbeatMs: 300 },
  webhookSecret: SECRET,
};

interface Got {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

interface Receiver {
  url: string;
  got: Got[];
  /** What it answers on a path; 200 else. */
  answers: Map<string, number>;
  of(path: string): Array<Record<string, never> & { type: string; data: Record<string, string | null> }>;
  close(): Promise<void>;
}

async function openReceiver(): Promise<Receiver> {
  const got: Got[] = [];
  const answers = new Map<string, number>();
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const path = request.url!;
      const status = answers.get(path) ?? 200;
      if (status < 300) got.push({ path, headers: request.headers, body });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    answers,
    of: (path) => got.filter((one) => one.path === path).map(({ body }) => JSON.parse(body)),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const open: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function begin(alerts: object = {}): Promise<{ journey: Journey; receiver: Receiver }> {
  const receiver = await openReceiver();
  open.push(receiver.close);
  const journey = await openJourney({ config: configured(receiver, alerts) });
  open.push(journey.close);
  return { journey, receiver };
}

const configured = (receiver: Receiver, alerts: object) => ({
  webhooks: { allowPrivate: true },
  alerts: { ...QUICK, webhookUrl: `${receiver.url}/hook`, slackUrl: `${receiver.url}/slack`, ...alerts },
});

function another(journey: Journey, receiver: Receiver, alerts: object = {}): Postrider {
  const one = createPostrider({
    database: journey.url,
    provider: scriptedProvider(),
    from: { address: 'noreply@example.com' },
    logger: silentLogger,
    config: configured(receiver, alerts),
  });
  open.push(() => one.stop({ deadlineMs: 0 }));
  return one;
}

const until = (condition: () => unknown, what: string) => waitFor(condition, { timeoutMs: 30_000, what });

function withDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

/** Long enough for several rounds of every process. */
async function rounds(journey: Journey, count = 10): Promise<void> {
  const { rows } = await journey.pool.query('select clock_timestamp() as at');
  await until(
    async () =>
      (
        await journey.pool.query(
          `select 1 from postrider.alert_rounds where evaluated_at > $1::timestamptz + $2::int * interval '100 milliseconds'`,
          [rows[0].at, count],
        )
      ).rowCount,
    'rounds to pass',
  );
}

describe('alerts on PostgreSQL', () => {
  test('no worker, seen by two processes that only send → told once by each way, with its end', async () => {
    const { journey, receiver } = await begin();
    const other = another(journey, receiver);
    await journey.postrider.alerts.start();
    await other.alerts.start();
    await journey.postrider.send(anEmail());
    await until(() => receiver.of('/slack').length > 0 && receiver.of('/hook').length > 0, 'both to be told');
    await rounds(journey);
    const [episode] = await journey.postrider.alerts.list();
    expect(episode).toMatchObject({ alert: 'no-worker', severity: 'page', subject: '', endedAt: null });
    await journey.postrider.start();
    await until(() => receiver.of('/hook').length === 2, 'its end to be told');
    await rounds(journey);
    const [begun, ended] = receiver.of('/hook');
    expect(begun).toMatchObject({ type: 'alert.opened', data: { alert: 'no-worker', ended_at: null } });
    expect(begun!.data.sentence).toBe('No worker is alive. Emails are accepted and wait.');
    expect(begun!.data.action).toContain('postrider serve');
    expect(ended).toMatchObject({ type: 'alert.ended', data: { episode_id: begun!.data.episode_id } });
    expect(ended!.data.ended_at).not.toBeNull();
    expect(receiver.of('/hook')).toHaveLength(2);
    expect(receiver.of('/slack')).toHaveLength(2);
    const { headers } = receiver.got.find(({ path }) => path === '/hook')!;
    expect(headers['webhook-signature']).toMatch(/^v1,/);
  });

  test('a worker that vanished → told by a process that has none', async () => {
    const { journey, receiver } = await begin();
    await journey.pool.query(
      `insert into postrider.workers (instance, host, pid, beat_at) values ('gone', 'h', 1, now() - interval '20 minutes')`,
    );
    await journey.postrider.alerts.start();
    await until(() => receiver.of('/hook').length > 0, 'it to be told');
    expect(receiver.of('/hook')[0]!.data.sentence).toBe(
      'No worker is alive; the last one was seen 20 minutes ago. Emails are accepted and will wait.',
    );
  });

  test('a provider that says nothing → nothing-sent, and over when it answers', async () => {
    const { journey, receiver } = await begin();
    const held = gate();
    const email = anEmail();
    journey.provider.script(email.to, held.answer);
    await journey.postrider.start();
    await journey.postrider.send(email);
    await until(() => receiver.of('/hook').length > 0, 'it to be told');
    expect(receiver.of('/hook')[0]!.data.alert).toBe('nothing-sent');
    held.open();
    await until(() => receiver.of('/hook').some(({ type }) => type === 'alert.ended'), 'its end');
  });

  test('a route whose circuit is open → told, and the heartbeat is quiet until it is over', async () => {
    const { journey, receiver } = await begin();
    const beating = another(journey, receiver, { heartbeatUrl: `${receiver.url}/beat` });
    await journey.postrider.start();
    await until(async () => (await journey.pool.query('select from postrider.routes')).rowCount, 'a route');
    await beating.alerts.start();
    await journey.postrider.alerts.stop();
    await until(() => receiver.got.some(({ path }) => path === '/beat'), 'a heartbeat');
    await journey.pool.query(
      `update postrider.routes set state = 'open', reason = '421 too many', open_until = now() + interval '1 hour'`,
    );
    await until(() => receiver.of('/hook').length > 0, 'it to be told');
    expect(receiver.of('/hook')[0]!.data.sentence).toBe(
      'The route default fails and is held open: 421 too many.',
    );
    const beats = () => receiver.got.filter(({ path }) => path === '/beat').length;
    const before = beats();
    await rounds(journey, 20);
    expect(beats()).toBe(before);
    await journey.pool.query(`update postrider.routes set state = 'closed', reason = null`);
    await until(() => beats() > before, 'the heartbeat to be back');
  });

  test('a receiver that is down → the others are told, and it is told once it is back', async () => {
    const { journey, receiver } = await begin();
    receiver.answers.set('/hook', 503);
    await journey.postrider.alerts.start();
    await journey.postrider.send(anEmail());
    await until(() => receiver.of('/slack').length === 1, 'the other way');
    const kept = await until(
      async () =>
        (
          await journey.pool.query(
            `select last_error from postrider.alert_notifications where channel = 'webhook' and last_error is not null`,
          )
        ).rows[0],
      'the failure to be kept',
    );
    expect(kept).toEqual({ last_error: 'answered 503' });
    receiver.answers.clear();
    await journey.pool.query(
      'update postrider.alert_notifications set due_at = now() where due_at is not null',
    );
    await until(() => receiver.of('/hook').length === 1, 'it to be told');
    expect(receiver.of('/slack')).toHaveLength(1);
  });

  test('a process that died with a message in hand → another sends it, under the same id', async () => {
    const { journey, receiver } = await begin({ slackUrl: null });
    receiver.answers.set('/hook', 503);
    await journey.postrider.alerts.start();
    await journey.postrider.send(anEmail());
    await until(
      async () =>
        (await journey.pool.query('select from postrider.alert_notifications where attempt > 0')).rowCount,
      'a try',
    );
    await journey.postrider.alerts.stop();
    // As a process leaves it that is killed between the claim and the answer.
    await journey.pool.query(
      `update postrider.alert_notifications set due_at = now(), leased_until = now() + interval '2 seconds'`,
    );
    receiver.answers.clear();
    await another(journey, receiver, { slackUrl: null }).alerts.start();
    await until(() => receiver.of('/hook').length === 1, 'the other one to send it');
    const { headers, body } = receiver.got[0]!;
    expect(headers['webhook-id']).toBe(`alert_${JSON.parse(body).data.episode_id}_begin`);
  });

  test('an email → by the route that does not fail', async () => {
    const good = scriptedProvider();
    const bad = scriptedProvider();
    const receiver = await openReceiver();
    open.push(receiver.close);
    const journey = await openJourney();
    open.push(journey.close);
    await journey.postrider.start();
    const two = createPostrider({
      database: journey.url,
      routes: [
        { name: 'bad', provider: bad },
        { name: 'good', provider: good },
      ],
      from: { address: 'noreply@example.com' },
      logger: silentLogger,
      config: { alerts: { ...QUICK, emailTo: ['ops@example.net'] } },
    });
    open.push(() => two.stop({ deadlineMs: 0 }));
    await journey.pool.query(
      `insert into postrider.routes (name, provider, state, reason, open_until)
       values ('bad', 'smtp', 'open', 'connection refused', now() + interval '1 hour')`,
    );
    await two.alerts.start();
    await until(() => good.calls.length > 0, 'the email');
    expect(good.calls[0]!.email).toMatchObject({
      to: [{ address: 'ops@example.net' }],
      subject: '[Postrider] Alert: route-failing (bad)',
    });
    expect(bad.calls).toEqual([]);
  });

  test('the database away for a while, seen by two processes → each tells it, and its end is told once', async () => {
    const { journey, receiver } = await begin({ slackUrl: null });
    const other = another(journey, receiver, { slackUrl: null });
    await journey.postrider.alerts.start();
    await other.alerts.start();
    await rounds(journey, 3);
    const name = new URL(journey.url).pathname.slice(1);
    const admin = new pg.Client({ connectionString: withDatabase(journey.url, 'postgres') });
    await admin.connect();
    open.push(() => admin.end());
    await admin.query(`alter database "${name}" allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    await until(() => receiver.of('/hook').length === 2, 'both to tell it');
    expect(receiver.of('/hook').map(({ data }) => data.alert)).toEqual(['database-away', 'database-away']);
    await admin.query(`alter database "${name}" allow_connections true`);
    await until(() => receiver.of('/hook').some(({ type }) => type === 'alert.ended'), 'its end');
    await rounds(journey, 20);
    expect(receiver.of('/hook').filter(({ type }) => type === 'alert.ended')).toHaveLength(1);
    expect(receiver.of('/hook')).toHaveLength(3);
    expect(await journey.postrider.alerts.list()).toMatchObject([{ alert: 'database-away' }]);
  });

  test('the broker of the bus is not to be had → bus-down, once by two processes', async () => {
    const bus = { url: `amqp://127.0.0.1:${await freePort()}`, timeoutMs: 500 };
    const receiver = await openReceiver();
    open.push(receiver.close);
    const config = { ...configured(receiver, { busMs: 300 }), bus };
    const journey = await openJourney({ config });
    open.push(journey.close);
    const other = createPostrider({
      database: journey.url,
      provider: scriptedProvider(),
      from: { address: 'noreply@example.com' },
      logger: silentLogger,
      config,
    });
    open.push(() => other.stop({ deadlineMs: 0 }));
    await Promise.all([journey.postrider.start(), other.start()]);
    await until(() => receiver.of('/hook').length > 0, 'it to be told');
    await rounds(journey);
    expect(receiver.of('/hook').map(({ data }) => data.alert)).toEqual(['bus-down']);
  });

  test('the clock of a process set ahead and back → nothing is told', async () => {
    const receiver = await openReceiver();
    open.push(receiver.close);
    const journey = await openJourney();
    open.push(journey.close);
    await journey.postrider.start();
    let aheadMs = 0;
    const stepped = createPostrider({
      database: journey.url,
      provider: scriptedProvider(),
      from: { address: 'noreply@example.com' },
      logger: silentLogger,
      clock: { now: () => Date.now() + aheadMs, monotonic: () => performance.now() },
      // Far above what a crowded machine takes to send one, far below the step.
      config: configured(receiver, { silentMs: 60_000 }),
    });
    open.push(() => stepped.stop({ deadlineMs: 0 }));
    await stepped.alerts.start();
    for (const ms of [7_200_000, -7_200_000, 0]) {
      aheadMs = ms;
      await journey.postrider.send(anEmail());
      await rounds(journey);
    }
    expect(receiver.got).toEqual([]);
  });

  test('a test message → by every way, and a way that fails is named', async () => {
    const { journey, receiver } = await begin({ emailTo: ['ops@example.net'] });
    receiver.answers.set('/slack', 404);
    expect(await journey.postrider.alerts.test()).toEqual([
      { channel: 'webhook', ok: true, message: 'sent' },
      { channel: 'slack', ok: false, message: 'answered 404' },
      { channel: 'email', ok: true, message: 'sent' },
    ]);
    expect(receiver.of('/hook')[0]!.data.sentence).toBe('This is a test. Nothing is wrong.');
  });

  test('ordinary load with retries → nothing is told', async () => {
    const { journey, receiver } = await begin({ silentMs: 5000 });
    await journey.postrider.start();
    for (let round = 0; round < 15; round++) {
      const emails = Array.from({ length: 20 }, () => anEmail());
      for (const one of emails.slice(0, 3)) journey.provider.script(one.to, deferred, undefined as never);
      await journey.postrider.sendBatch(emails);
      await rounds(journey, 2);
    }
    await journey.pool.query(`update postrider.email_queue set due_at = now() where due_at is not null`);
    await rounds(journey, 20);
    expect(receiver.got).toEqual([]);
    expect(await journey.postrider.alerts.list()).toEqual([]);
  });
});
