import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { scriptedServer } from '../../src/testing.js';
import { waitFor } from '../services/index.js';
import { openAlerts } from './ground/open-alerts.js';
import { anEmail } from './ground/open-journey.js';
import { deferred, scriptedProvider } from './ground/scripted-provider.js';

/** Telling people: episodes over a real ledger, seen by several processes, and a receiver of all the ways out. */
const until = (condition: () => unknown, what: string) => waitFor(condition, { timeoutMs: 30_000, what });

function withDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

describe('alerts on PostgreSQL', { concurrent: true }, () => {
  test('no worker, seen by two processes that only send → told once by each way, with its end', async (context) => {
    const { journey, receiver, another, rounds } = await openAlerts(context);
    const other = another();
    await journey.postrider.alerts.start();
    await other.alerts.start();
    await journey.postrider.send(anEmail());
    await until(() => receiver.of('/slack').length > 0 && receiver.of('/hook').length > 0, 'both to be told');
    await rounds();
    const [episode] = await journey.postrider.alerts.list();
    expect(episode).toMatchObject({ alert: 'no-worker', severity: 'page', subject: '', endedAt: null });
    await journey.postrider.start();
    await until(() => receiver.of('/hook').length === 2, 'its end to be told');
    await rounds();
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

  test('a worker that vanished → told by a process that has none', async (context) => {
    const { journey, receiver } = await openAlerts(context);
    await journey.pool.query(
      `insert into postrider.workers (instance, host, pid, beat_at) values ('gone', 'h', 1, now() - interval '20 minutes')`,
    );
    await journey.postrider.alerts.start();
    await until(() => receiver.of('/hook').length > 0, 'it to be told');
    expect(receiver.of('/hook')[0]!.data.sentence).toBe(
      'No worker is alive; the last one was seen 20 minutes ago. Emails are accepted and will wait.',
    );
  });

  test('a route whose circuit is open → told, and the heartbeat is quiet until it is over', async (context) => {
    const { journey, receiver, another, rounds } = await openAlerts(context);
    const beating = another({ heartbeatUrl: `${receiver.url}/beat` });
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
      'The route default fails and is not used: 421 too many.',
    );
    const beats = () => receiver.got.filter(({ path }) => path === '/beat').length;
    const before = beats();
    await rounds(20);
    expect(beats()).toBe(before);
    await journey.pool.query(`update postrider.routes set state = 'closed', reason = null`);
    await until(() => beats() > before, 'the heartbeat to be back');
  });

  test('a receiver that is down → the others are told, and it is told once it is back', async (context) => {
    const { journey, receiver } = await openAlerts(context);
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

  test('a process that died with a message in hand → another sends it, under the same id', async (context) => {
    const { journey, receiver, another } = await openAlerts(context, { slackUrl: null });
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
    await another({ slackUrl: null }).alerts.start();
    await until(() => receiver.of('/hook').length === 1, 'the other one to send it');
    const { headers, body } = receiver.got[0]!;
    expect(headers['webhook-id']).toBe(`alert_${JSON.parse(body).data.episode_id}_begin`);
  });

  test('an email → by the route that does not fail', async (context) => {
    const good = scriptedProvider();
    const bad = scriptedProvider();
    const { journey, another } = await openAlerts(context, {
      ...{ webhookUrl: null, slackUrl: null, enabled: false },
    });
    await journey.postrider.start();
    const two = another(
      { enabled: true, emailTo: ['ops@example.net'] },
      {
        routes: [
          { name: 'bad', provider: bad },
          { name: 'good', provider: good },
        ],
      },
    );
    await journey.pool.query(
      `insert into postrider.routes (name, provider, state, reason, open_until)
       values ('bad', 'smtp', 'open', 'connection refused', now() + interval '1 hour')`,
    );
    await two.alerts.start();
    await until(() => good.calls.length > 0, 'the email');
    const { email } = good.calls[0]!;
    expect(email).toMatchObject({
      to: [{ address: 'ops@example.net' }],
      subject: '[Postrider] Alert: route-failing (bad)',
    });
    expect(email.text).toMatch(
      /^The route bad fails and is not used: connection refused\.\nSince \d{4}-\d\d-\d\d \d\d:\d\d UTC; concerns every tenant; alert route-failing\.\nWhat to do: Ask the provider/,
    );
    expect(bad.calls).toEqual([]);
  });

  test('the database away for a while, seen by two processes → each tells it, and its end is told once', async (context) => {
    const { journey, receiver, another, rounds } = await openAlerts(context, { slackUrl: null });
    const other = another({ slackUrl: null });
    await journey.postrider.alerts.start();
    await other.alerts.start();
    await rounds(3);
    const name = new URL(journey.url).pathname.slice(1);
    const admin = new pg.Client({ connectionString: withDatabase(journey.url, 'postgres') });
    await admin.connect();
    context.onTestFinished(() => admin.end());
    await admin.query(`alter database "${name}" allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
    await until(() => receiver.of('/hook').length === 2, 'both to tell it');
    expect(receiver.of('/hook').map(({ data }) => data.alert)).toEqual(['database-away', 'database-away']);
    await admin.query(`alter database "${name}" allow_connections true`);
    await until(() => receiver.of('/hook').some(({ type }) => type === 'alert.ended'), 'its end');
    await rounds(20);
    expect(receiver.of('/hook').filter(({ type }) => type === 'alert.ended')).toHaveLength(1);
    expect(receiver.of('/hook')).toHaveLength(3);
    expect(await journey.postrider.alerts.list()).toMatchObject([{ alert: 'database-away' }]);
  });

  test('the clock of a worker and of a process that watches set ahead and back → nothing is told', async (context) => {
    let aheadMs = 0;
    const clock = { now: () => Date.now() + aheadMs, monotonic: () => performance.now() };
    const { journey, receiver, another, rounds } = await openAlerts(context, {
      lateMs: 60_000,
      // Far above what a crowded machine takes to send one, far below the step.
      silentMs: 60_000,
    });
    const stepped = another({ types: { code: { lateMs: 60_000 } } }, { clock } as never);
    await stepped.start();
    for (const ms of [7_200_000, -7_200_000, 0]) {
      aheadMs = ms;
      await stepped.sendBatch(Array.from({ length: 4 }, () => anEmail({ type: 'code' })));
      await journey.untilEmpty();
      await rounds();
    }
    expect(receiver.got).toEqual([]);
  });

  test("the database's clock set back by two hours → an episode still opens, is sent and ends", async (context) => {
    const { journey, begun, ended, another } = await openAlerts(context);
    await journey.pool.query(
      `insert into postrider.alert_episodes (alert, subject, severity, sentence, began_at, seen_at, opened_at)
       values ('no-worker', '', 'page', 'x', now() + interval '2 hours', now() + interval '2 hours', null),
         ('paused', '', 'ticket', 'x', now() + interval '2 hours', now() + interval '2 hours', now() + interval '2 hours')`,
    );
    await journey.pool.query(
      `insert into postrider.alert_notifications (episode_id, channel, kind, due_at, leased_until)
       select id, 'webhook', 'begin', now() + interval '2 hours', now() + interval '2 hours'
       from postrider.alert_episodes where alert = 'paused'`,
    );
    await journey.pool.query(
      `update postrider.alert_rounds set evaluated_at = now() + interval '2 hours', heartbeat_at = now() + interval '2 hours'`,
    );
    await journey.postrider.send(anEmail());
    await another().alerts.start();
    await begun('paused');
    await ended('paused');
    await begun('no-worker');
  });

  test('a test message → by every way, and a way that fails is named', async (context) => {
    const { journey, receiver } = await openAlerts(context, {
      emailTo: ['ops@example.net'],
    });
    receiver.answers.set('/slack', 404);
    expect(await journey.postrider.alerts.test()).toEqual([
      { channel: 'webhook', ok: true, message: 'sent' },
      { channel: 'slack', ok: false, message: 'answered 404' },
      { channel: 'email', ok: true, message: 'sent' },
    ]);
    expect(receiver.of('/hook')[0]!.data.sentence).toBe('This is a test. Nothing is wrong.');
  });

  test('ordinary load with retries → nothing is told', async (context) => {
    const { journey, receiver, rounds } = await openAlerts(context, { silentMs: 5000 });
    await journey.postrider.start();
    for (let round = 0; round < 15; round++) {
      const emails = Array.from({ length: 20 }, () => anEmail());
      for (const one of emails.slice(0, 3)) journey.provider.script(one.to, deferred, undefined as never);
      await journey.postrider.sendBatch(emails);
      await rounds(2);
    }
    await journey.pool.query(`update postrider.email_queue set due_at = now() where due_at is not null`);
    await rounds(20);
    expect(receiver.got).toEqual([]);
    expect(await journey.postrider.alerts.list()).toEqual([]);
  });

  test('a statement of one alert that fails → alerts-fail names it, the others are told, its open episode goes on', async (context) => {
    const { journey, begun, ended, receiver, rounds, alerts } = await openAlerts(context);
    await journey.pool.query(
      `insert into postrider.alert_episodes (alert, subject, severity, sentence, opened_at)
       values ('webhook-failing', 'x', 'ticket', 'A webhook endpoint fails.', now())`,
    );
    await journey.pool.query('alter table postrider.webhook_endpoints rename to elsewhere');
    await journey.postrider.alerts.start();
    await journey.postrider.send(anEmail());
    await begun('no-worker');
    expect(await begun('alerts-fail')).toMatchObject({
      subject: 'webhook-failing',
      sentence: expect.stringMatching(/^The alert webhook-failing cannot be looked at: .*webhook_endpoints/),
    });
    await rounds();
    expect(alerts().sort()).toEqual(['alerts-fail', 'no-worker']);
    expect(receiver.of('/hook').filter(({ type }) => type === 'alert.ended')).toEqual([]);
    await journey.pool.query('alter table postrider.elsewhere rename to webhook_endpoints');
    await ended('alerts-fail');
    const open = await journey.postrider.alerts.list();
    expect(open.find(({ alert }) => alert === 'webhook-failing')).toMatchObject({
      endedAt: expect.any(String),
    });
  });

  test('rows of alerts that cannot be written → alerts-fail, and not that the database is away', async (context) => {
    const { journey, begun, ended, alerts } = await openAlerts(context);
    await journey.pool.query('alter table postrider.alert_rounds rename to elsewhere');
    await journey.postrider.alerts.start();
    expect((await begun('alerts-fail')).sentence).toMatch(/^Alerts cannot be looked at: .*alert_rounds/);
    await journey.pool.query('alter table postrider.elsewhere rename to alert_rounds');
    await ended('alerts-fail');
    expect(alerts()).toEqual(['alerts-fail']);
  });

  test('a receiver that never answers → what is wrong is seen meanwhile, and the other way is told', async (context) => {
    const silent = await scriptedServer(() => new Promise<void>(() => undefined));
    context.onTestFinished(() => silent.stop());
    const { journey, receiver, rounds } = await openAlerts(context, {
      webhookUrl: `http://127.0.0.1:${silent.port}/`,
      pausedMs: 0,
    });
    await journey.postrider.alerts.start();
    await journey.postrider.send(anEmail());
    await until(() => receiver.of('/slack').length === 1, 'the other way');
    await journey.postrider.pause('all', '', 'for a test');
    await until(async () => (await journey.postrider.alerts.list()).length === 2, 'another to be seen');
    await rounds();
    expect((await journey.postrider.alerts.list()).map(({ endedAt }) => endedAt)).toEqual([null, null]);
  });
});
