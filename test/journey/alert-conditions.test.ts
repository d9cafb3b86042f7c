import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { defineSchedule, type Postrider, smtpProvider } from '../../src/index.js';
import { systemClock } from '../../src/kernel/index.js';
import { tallyEnds } from '../../src/outbox/tally-ends.js';
import { scriptedServer } from '../../src/testing.js';
import { waitFor } from '../services/index.js';
import { type AlertFixture, openAlerts } from './ground/open-alerts.js';
import { anEmail } from './ground/open-journey.js';
import {
  answerLost,
  deferred,
  gate,
  rejected,
  scriptedProvider,
  sent,
  wrongPassword,
} from './ground/scripted-provider.js';

/** Each alert is brought about by what it is there for, and brought to its end. Those of brokers: alert-brokers.test.ts. */
describe('what stops mail', { concurrent: true }, () => {
  test('an SMTP server that says nothing → nothing-sent; it answers → over', async (context) => {
    const silent = await scriptedServer(() => new Promise<void>(() => undefined));
    context.onTestFinished(() => silent.stop());
    const { begun, ended, journey, another } = await openAlerts(context, { silentMs: 500, routeMs: 60_000 });
    const worker = another(
      {},
      { routes: [{ name: 'silent', provider: smtpProvider({ host: '127.0.0.1', port: silent.port }) }] },
    );
    await worker.start();
    await worker.send(anEmail());
    const told = await begun('nothing-sent');
    expect(told.sentence).toMatch(
      /^No email was sent for 0 seconds although a worker is alive and emails wait, the oldest for \d+ seconds?\.$/,
    );
    await worker.stop({ deadlineMs: 0 });
    await journey.postrider.start();
    await ended('nothing-sent');
  });

  test('a worker that cannot have a lease → worker-without-lease; it can → over', async (context) => {
    const { journey, begun, ended } = await openAlerts(context);
    await journey.pool.query(
      `create function refused() returns trigger language plpgsql as $$ begin raise exception 'no more workers' using errcode = '53300'; end $$;
       create trigger refused before insert on postrider.workers for each row execute function refused()`,
    );
    const starting = journey.postrider.start();
    await journey.postrider.alerts.start();
    const told = await begun('worker-without-lease');
    expect(told.sentence).toMatch(/^A worker process cannot deliver: no lease: .*no more workers/);
    await journey.pool.query('drop trigger refused on postrider.workers');
    await starting;
    await ended('worker-without-lease');
  });

  test('more emails than can go → emails-wait, of the tenant and type that have limits of their own too', async (context) => {
    const { begun, ended, journey, alerts } = await openAlerts(
      context,
      {
        waitingMs: 3_600_000,
        tenants: { acme: { waitingMs: 400 } },
        types: { password_reset: { waitingMs: 300 } },
      },
      { config: { worker: { concurrency: 1 } } },
    );
    const held = gate();
    const first = anEmail();
    journey.provider.script(first.to, held.answer);
    await journey.postrider.start();
    await journey.postrider.send(first);
    await held.held;
    await journey.postrider.send(anEmail());
    await journey.postrider.send(anEmail({ companyId: 'acme' }));
    const told = await begun('emails-wait');
    expect(told).toMatchObject({ subject: 'tenant acme', company_id: 'acme' });
    expect(told.sentence).toMatch(
      /^An email of acme has waited \d+ seconds? for its first attempt; 0 seconds/,
    );
    expect(alerts()).toEqual(['emails-wait']);
    held.open();
    await ended('emails-wait', 'tenant acme');
  });

  test('a provider that fails until its circuit opens → route-failing; it works → over', async (context) => {
    const { begun, ended, journey } = await openAlerts(context);
    const emails = Array.from({ length: 20 }, () => anEmail());
    const failing = { ...deferred, scope: 'route' as const, message: '421 too many connections' };
    for (const { to } of emails) journey.provider.script(to, failing);
    await journey.postrider.start();
    await journey.postrider.sendBatch(emails);
    const told = await begun('route-failing');
    expect(told).toMatchObject({ subject: 'default', severity: 'page' });
    expect(told.sentence).toContain('The route default fails and is not used: ');
    for (const { to } of emails) journey.provider.script(to, sent('x'));
    await journey.pool.query('update postrider.routes set open_until = now()');
    await journey.pool.query('update postrider.email_queue set due_at = now() where due_at is not null');
    await ended('route-failing');
  });

  test('a wrong password → paused; lifted → over', async (context) => {
    const { begun, ended, journey } = await openAlerts(context);
    const email = anEmail();
    journey.provider.script(email.to, wrongPassword, sent('x'));
    await journey.postrider.start();
    await journey.postrider.send(email);
    const told = await begun('paused');
    expect(told.sentence).toMatch(
      /^The route default has been paused for \d+ seconds? while emails wait for it: .*authentication failed/,
    );
    await journey.postrider.resume('route', 'default');
    await ended('paused');
  });

  test('emails that fail → failures, of all and of the tenant with a limit of its own; others go out → over', async (context) => {
    const { begun, ended, journey, receiver, rounds } = await openAlerts(context, {
      ...{ rateMinimum: 5, failurePercent: 50 },
      tenants: { acme: { failurePercent: 1 }, other: { failurePercent: 90 } },
    });
    const emails = Array.from({ length: 6 }, () => anEmail({ companyId: 'acme' }));
    for (const { to } of emails) journey.provider.script(to, rejected);
    await journey.postrider.start();
    await sendAndCount(journey.postrider, journey, emails);
    await begun('failures');
    await rounds();
    const told = receiver.of('/hook').map(({ data }) => data);
    expect(told.map(({ subject }) => subject).sort()).toEqual(['', 'tenant acme']);
    expect(told.find(({ subject }) => subject === 'tenant acme')).toMatchObject({
      company_id: 'acme',
      sentence: '6 of 6 emails of acme that ended in this hour and the last failed (100 %).',
    });
    await sendAndCount(
      journey.postrider,
      journey,
      Array.from({ length: 20 }, () => anEmail({ companyId: 'acme' })),
    );
    await ended('failures', '');
    expect(receiver.of('/hook').filter(({ type }) => type === 'alert.ended')).toHaveLength(1);
  });

  test('an answer lost after the final dot of an email sent at most once → unknown-outcomes; decided → over', async (context) => {
    const { begun, ended, journey } = await openAlerts(context);
    const email = anEmail({ delivery: 'at-most-once' });
    journey.provider.script(email.to, answerLost);
    await journey.postrider.start();
    const { emailId } = await journey.postrider.send(email);
    const told = await begun('unknown-outcomes');
    expect(told.sentence).toBe(
      'It is not known whether 1 email of the last hour was delivered; it waits for a decision.',
    );
    await journey.postrider.deadLetters.discard({ emailIds: [emailId] });
    await ended('unknown-outcomes');
  });

  test('reports of bounces and complaints → bounces, complaints; many more are sent → over', async (context) => {
    const { begun, ended, journey, receiver, rounds } = await openAlerts(context, {
      ...{ rateMinimum: 5, bouncePercent: 20, complaintsPerThousand: 200 },
      types: { newsletter: { bouncePercent: 90, rateMinimum: 2 } },
    });
    await journey.postrider.start();
    const ids = await sendAndCount(
      journey.postrider,
      journey,
      Array.from({ length: 5 }, () => anEmail()),
    );
    for (const [index, type] of (['BOUNCED', 'BOUNCED', 'COMPLAINED', 'COMPLAINED'] as const).entries())
      await journey.postrider.hooks.record({
        ...{ source: 'resend', id: `r-${index}`, type, at: new Date(), recipients: [], detail: {} },
        ...{ about: { emailId: ids[index]! }, suppress: null },
      } as never);
    const told = [await begun('bounces'), await begun('complaints')];
    expect(told.map(({ sentence }) => sentence)).toEqual([
      '2 of 5 emails sent within a day bounced (40 %).',
      '2 of 5 emails sent within a day were reported as spam (40 %).',
    ]);
    await sendAndCount(
      journey.postrider,
      journey,
      Array.from({ length: 10 }, () => anEmail()),
    );
    await ended('bounces');
    await ended('complaints');
    await rounds();
    expect(receiver.of('/hook')).toHaveLength(4);
  });

  test('bounces of one tenant and one type with limits of their own → theirs alone', async (context) => {
    const { begun, journey, receiver, rounds } = await openAlerts(context, {
      ...{ rateMinimum: 5 },
      tenants: { acme: { bouncePercent: 10 } },
      types: { newsletter: { bouncePercent: 10 } },
      ...{ bouncePercent: 90 },
    });
    await journey.postrider.start();
    const ids = await sendAndCount(journey.postrider, journey, [
      ...Array.from({ length: 5 }, () => anEmail({ companyId: 'acme' })),
      ...Array.from({ length: 5 }, () => anEmail({ companyId: 'other' })),
    ]);
    await journey.postrider.hooks.record({
      ...{ source: 'resend', id: 'r-1', type: 'BOUNCED', at: new Date(), recipients: [], detail: {} },
      ...{ about: { emailId: ids[0]! }, suppress: null },
    } as never);
    expect(await begun('bounces')).toMatchObject({
      ...{ subject: 'tenant acme', company_id: 'acme' },
      sentence: '1 of 5 emails of acme sent since yesterday began (UTC) bounced (20 %).',
    });
    await rounds();
    expect(receiver.of('/hook')).toHaveLength(1);
  });

  test('codes that are slow to go → late; a quarter of an hour later → over', async (context) => {
    let aheadMs = 0;
    const clock = { now: systemClock.now, monotonic: () => systemClock.monotonic() + aheadMs };
    const { begun, ended, another, rounds } = await openAlerts(context, { lateMs: 60_000 });
    const provider = scriptedProvider();
    const worker = another({ types: { newsletter: { lateMs: 200 } } }, { clock, provider } as never);
    await worker.start();
    await rounds();
    const emails = Array.from({ length: 3 }, () => anEmail({ type: 'newsletter' }));
    for (const { to } of emails)
      provider.script(to, async ({ id }) => {
        const before = performance.now();
        await waitFor(() => performance.now() - before > 300, { timeoutMs: 1900, what: 'it to be late' });
        return sent(id);
      });
    await worker.sendBatch([...emails, anEmail()]);
    const told = await begun('late');
    expect(told.sentence).toMatch(
      /^3 of 3 emails of the type newsletter within a quarter of an hour took longer than 0 seconds to reach their provider; the slowest took \d+ seconds?\.$/,
    );
    aheadMs = 16 * 60_000;
    await ended('late');
  });

  test('emails whose time passes before they are sent → expired; a quarter of an hour later → over', async (context) => {
    const { begun, ended, journey } = await openAlerts(context);
    await journey.postrider.start();
    await journey.pauseAndBeKnown('tenant', 'acme');
    const expiresAt = new Date(Date.now() + 1500);
    await journey.postrider.sendBatch(
      Array.from({ length: 3 }, () => anEmail({ companyId: 'acme', expiresAt })),
    );
    const told = await begun('expired');
    expect(told.sentence).toBe(
      '3 emails without a type expired within a quarter of an hour before they were sent.',
    );
    // As a quarter of an hour later.
    await journey.pool.query(
      `update postrider.email_facts set created_at = created_at - interval '16 minutes' where type = 'EXPIRED'`,
    );
    await ended('expired');
  });

  test('a tenant near its quota, and at its end → each said once; the quota raised → both over', async (context) => {
    const { journey, begun, ended, receiver, rounds } = await openAlerts(context, {
      tenants: { acme: { quotaPercent: 50 } },
    });
    const { postrider } = journey;
    await postrider.quotas.set({ companyId: 'acme', period: 'day', limit: 4 });
    await postrider.quotas.set({ companyId: 'other', period: 'month', limit: 4 });
    await postrider.start();
    await postrider.sendBatch(
      Array.from({ length: 4 }, (_, i) => anEmail({ companyId: i < 2 ? 'acme' : 'other' })),
    );
    const near = await begun('quota');
    expect(near.subject).toBe('day of acme');
    expect(near.sentence).toMatch(
      /^acme has used 2 of the 4 emails it may send this day \(50 %\); the day ends at \d{4}-\d\d-\d\d 00:00 UTC\.$/,
    );
    await postrider.sendBatch(Array.from({ length: 2 }, () => anEmail({ companyId: 'acme' })));
    await waitFor(() => receiver.of('/hook').length === 2, { timeoutMs: 10_000, what: 'the second message' });
    expect(receiver.of('/hook')[1]!.data.sentence).toMatch(
      /^acme has used all 4 emails it may send this day; more are refused until \d{4}-\d\d-\d\d 00:00 UTC\.$/,
    );
    await rounds();
    await postrider.quotas.set({ companyId: 'acme', period: 'day', limit: 100 });
    await ended('quota', 'day of acme, spent');
    await ended('quota', 'day of acme');
    expect(receiver.of('/hook')).toHaveLength(4);
  });

  test('250 quotas, one of them spent → found although some are read at a time', async (context) => {
    const { journey, begun, another } = await openAlerts(context);
    await journey.pool.query(
      `insert into postrider.quotas (tenant, period, max_emails)
       select 'tenant-' || to_char(n, 'FM000'), 'day', 128 from generate_series(1, 250) n`,
    );
    await journey.pool.query(
      `insert into postrider.quota_shares (tenant, period, share, period_start, used)
       select 'tenant-249', 'day', n, date_trunc('day', now() at time zone 'UTC') at time zone 'UTC', 1
       from generate_series(0, 127) n`,
    );
    await another().alerts.start();
    expect((await begun('quota')).company_id).toBe('tenant-249');
  });

  test('a webhook endpoint that refuses → webhook-failing; it takes them → over', async (context) => {
    let status = 500;
    const server = createServer((_, response) => response.writeHead(status).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    context.onTestFinished(() => void server.close());
    const { journey, begun, ended } = await openAlerts(
      context,
      { webhookMs: 300 },
      { config: { access: { secretKeys: `one:${Buffer.alloc(32, 7).toString('base64')}` } } },
    );
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mail?token=secret`;
    await journey.postrider.webhooks.create({ companyId: 'acme', url } as never);
    await journey.postrider.start();
    await journey.postrider.send(anEmail({ companyId: 'acme' }));
    const told = await begun('webhook-failing');
    expect(told.sentence).toMatch(
      /^The webhook endpoint of acme at 127\.0\.0\.1:\d+ has accepted nothing for \d+ seconds?\.$/,
    );
    status = 200;
    await journey.pool.query(
      'update postrider.webhook_deliveries set due_at = now() where due_at is not null',
    );
    await journey.postrider.send(anEmail({ companyId: 'acme' }));
    await ended('webhook-failing');
  });

  test('a run that cannot go on → schedule-stuck; its audience can be read again → over', async (context) => {
    let broken = true;
    const flaky = defineSchedule({
      name: 'flaky',
      cron: null,
      campaign: {
        async audience() {
          if (broken) throw new Error('the customer database is away');
          return { people: ['a@example.com'], cursor: null };
        },
        key: (to: string) => to,
        email: (to) => ({ to, subject: 'Hello', text: 'Hello' }),
      },
    });
    const { journey, begun, ended } = await openAlerts(context, {}, { schedules: [flaky] });
    await journey.postrider.start();
    await journey.postrider.schedules.start();
    await journey.postrider.schedules.runNow('flaky');
    const told = await begun('schedule-stuck');
    expect(told).toMatchObject({
      subject: 'flaky',
      sentence: 'A run of the schedule flaky cannot go on after three tries: the customer database is away.',
    });
    broken = false;
    await ended('schedule-stuck');
  });

  test('a disk that is full for the emails → accepting-fails; five minutes without → over', async (context) => {
    let aheadMs = 0;
    const clock = { now: systemClock.now, monotonic: () => systemClock.monotonic() + aheadMs };
    const { journey, another, begun, ended, alerts } = await openAlerts(context);
    const api = another({}, { clock } as never);
    await api.alerts.start();
    await journey.pool.query(
      `create function no_space() returns trigger language plpgsql as $$ begin
         raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
       create trigger no_space before insert on postrider.emails for each statement execute function no_space()`,
    );
    await expect(api.send(anEmail())).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const told = await begun('accepting-fails');
    expect(told.sentence).toMatch(
      /^The database failed one call that hands in emails within five minutes: .*No space left on device/,
    );
    await journey.pool.query('drop trigger no_space on postrider.emails');
    await api.send(anEmail());
    aheadMs = 6 * 60_000;
    await ended('accepting-fails');
    expect(alerts()).toContain('accepting-fails');
  });
});

/** Ends them, and counts them as the worker does every half minute. */
async function sendAndCount(
  postrider: Postrider,
  journey: AlertFixture['journey'],
  emails: Array<ReturnType<typeof anEmail>>,
): Promise<string[]> {
  const answers = await postrider.sendBatch(emails);
  await journey.untilEmpty();
  const database = await postrider.ready();
  // It stays behind transactions that are open.
  await waitFor(
    async () => {
      await tallyEnds(database, { behindMs: 0 });
      const { rows } = await database.query<{ all: boolean }>(
        `select (select sum(count) from postrider.email_tallies)
           = (select count(*) from postrider.email_attempts where final) as all`,
      );
      return rows[0]!.all;
    },
    { timeoutMs: 60_000, what: 'all to be counted' },
  );
  return answers.map(({ emailId }) => emailId);
}
