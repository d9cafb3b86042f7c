import { afterAll, beforeAll, expect, test } from 'vitest';
import { prune } from '../../src/outbox/index.js';
import { describeWith, waitFor } from '../services/index.js';
import { type ActGround, newSecretKey, openActGround } from './ground/act-deaths.js';
import { openWebhookSink } from './ground/webhook-sink.js';

/**
 * Death in the middle of what operators, providers and schedules ask for: it has happened or it has not, and whoever
 * asks again has it once.
 */
describeWith('postgres')('acts on PostgreSQL', () => {
  const [oldKey, newKey] = [newSecretKey('one'), newSecretKey('two')];
  let ground: ActGround;
  beforeAll(async () => {
    ground = await openActGround({ access: { secretKeys: oldKey }, webhooks: { allowPrivate: true } });
  });
  afterAll(() => ground.end());

  const later = () => new Date(Date.now() + 3_600_000);
  const emailTo = (to: string, companyId: string) => ({ to, companyId, subject: 'Hello', text: 'Hello' });
  const place = { ip: '127.0.0.1', requestId: 'r-1' };
  const one = async (sql: string, values?: unknown[]) =>
    (await ground.rows<{ n: number }>(sql, values))[0]!.n;

  /** An email that has ended, as the worker would have left it. */
  async function ended(to: string, status: 'sent' | 'failed'): Promise<string> {
    const { emailId } = await ground.postrider.schedule(emailTo(to, 'acme'), later());
    await ground.rows('delete from postrider.email_queue where id = $1', [emailId]);
    await ground.rows(
      `insert into postrider.email_attempts (email_id, attempt, token, status, final, events, offsets_ms, started_at,
         duration_ms, route, worker, provider, provider_message_id)
       values ($1::uuid, 1, 1, $2, true, '{RECEIVED,SENT_ATTEMPT}', '{0,1}', now(), 1, 'default', 1, 'ses', 'p-' || $1::uuid)`,
      [emailId, status],
    );
    return emailId;
  }
  const facts = (type: string, emailId: string) =>
    one(`select count(*)::int as n from postrider.email_facts where type = $1 and email_id = $2`, [
      type,
      emailId,
    ]);

  test('cancel-many:batch → a thousand are cancelled; asked again, so is the rest, each once', async () => {
    const email = emailTo('many@example.com', 'many');
    for (const count of [1000, 300])
      await ground.postrider.sendBatch(
        Array.from({ length: count }, () => ({ ...email, scheduledAt: later().toISOString() })),
      );
    await ground.dieAt('cancel-many:batch', { method: 'cancelMany', args: [{ companyId: 'many' }] });
    const left = () => one(`select count(*)::int as n from postrider.email_queue where tenant = 'many'`);
    expect(await left()).toBe(300);
    await ground.postrider.cancelMany({ companyId: 'many' });
    expect(await left()).toBe(0);
    const cancelled = `select count(*)::int as n from postrider.email_facts f
      join postrider.emails e on e.id = f.email_id where e.tenant = 'many' and f.type = 'CANCELLED'`;
    expect(await one(cancelled)).toBe(1300);
  });

  test('dead-letters:requeued → it waits again; asked again, it is refused and not queued twice', async () => {
    const id = await ended('dead@example.com', 'failed');
    const which = { emailIds: [id] };
    await ground.dieAt('dead-letters:requeued', { method: 'deadLetters.retry', args: [which] });
    expect(await ground.postrider.deadLetters.retry(which)).toMatchObject({ refused: { 'not-dead': 1 } });
    expect(await facts('REQUEUED', id)).toBe(1);
    expect(await one('select count(*)::int as n from postrider.email_queue where id = $1', [id])).toBe(1);
    await ground.postrider.cancel(id);
  });

  test('erase:batch → asked again, nothing of the person is left', async () => {
    const person = { email: 'gone@example.com' };
    await ended(person.email, 'sent');
    await ground.postrider.recipients.upsert([{ externalId: 'u-gone', email: person.email }], {
      companyId: 'acme',
    });
    await ground.dieAt('erase:batch', { method: 'erase', args: [person] });
    expect(await ground.postrider.recipients.get({ externalId: 'u-gone' }, { companyId: 'acme' })).not.toBe(
      null,
    );
    expect(await ground.postrider.erase(person)).toMatchObject({ complete: true, recipients: 1 });
    expect(
      await one('select count(*)::int as n from postrider.emails where to_address = $1', [person.email]),
    ).toBe(0);
  });

  test('hooks:noted → nothing is noted; delivered again, it is recorded and suppressed; and again, known', async () => {
    const id = await ended('bounced@example.com', 'sent');
    const notification = {
      ...{ source: 'ses' as const, id: 'n-1', type: 'BOUNCED' as const, about: { emailId: id } },
      ...{ recipients: ['bounced@example.com'], at: new Date(), suppress: 'bounce' as const, detail: {} },
    };
    await ground.dieAt('hooks:noted', { method: 'hooks.record', args: [notification] });
    expect(await facts('BOUNCED', id)).toBe(0);
    expect(await ground.postrider.hooks.record(notification)).toBe('recorded');
    expect(await ground.postrider.hooks.record(notification)).toBe('known');
    expect(await facts('BOUNCED', id)).toBe(1);
    expect(await ground.postrider.suppressions.list({ companyId: 'acme' })).toMatchObject({
      suppressions: [{ reason: 'bounce' }],
    });
  });

  test('resume:lifted → what was set aside is brought back by whoever resumes again', async () => {
    const { emailId } = await ground.postrider.schedule(emailTo('parked@example.com', 'parked'), later());
    await ground.postrider.pause('tenant', 'parked');
    await ground.rows(
      `update postrider.email_queue set ready = false, scheduled = false, due_at = null, parked = true, parked_by = 'tenant:parked'
       where id = $1`,
      [emailId],
    );
    await ground.dieAt('resume:lifted', { method: 'resume', args: ['tenant', 'parked'] });
    await ground.postrider.resume('tenant', 'parked');
    expect(
      await ground.rows('select parked, ready from postrider.email_queue where id = $1', [emailId]),
    ).toEqual([{ parked: false, ready: true }]);
    await ground.postrider.cancel(emailId);
  });

  test('access:acted → no key and no line; asked again, one of each', async () => {
    await ground.postrider.access.tenants.create({ companyId: 'keyed', name: 'Keyed' });
    const input = { companyId: 'keyed', name: 'app' };
    const count = async () => ({
      keys: await one(`select count(*)::int as n from postrider.api_keys where tenant = 'keyed'`),
      lines: await one(`select count(*)::int as n from postrider.audit_log where action = 'key.create'`),
    });
    await ground.dieAt('access:acted', { method: 'access.keys.create', args: [input] });
    expect(await count()).toEqual({ keys: 0, lines: 0 });
    const { token } = await ground.postrider.access.keys.create(input);
    expect(await count()).toEqual({ keys: 1, lines: 1 });
    expect(await ground.postrider.access.keys.find(token)).toMatchObject({ companyId: 'keyed' });
  });

  test('access:code-kept, access:code-right → no code without its email, no session without its end', async () => {
    const { access } = ground.postrider;
    const admin = { email: 'op@example.com', password: 'correct horse battery' };
    await access.admins.create({ ...admin, role: 'admin' });
    const count = async () => ({
      begun: await one('select count(*)::int as n from postrider.admin_sign_ins'),
      codes: await one(`select count(*)::int as n from postrider.emails where type = 'admin_tfa'`),
      sessions: await one('select count(*)::int as n from postrider.admin_sessions'),
    });
    await ground.dieAt('access:code-kept', { method: 'access.signIn.begin', args: [admin, place] });
    expect(await count()).toEqual({ begun: 0, codes: 0, sessions: 0 });
    const { token } = await access.signIn.begin(admin, place);
    expect(await count()).toEqual({ begun: 1, codes: 1, sessions: 0 });
    const { code } = await access.signIn.issueCode(admin.email, { kind: 'root', name: 'test' });
    await ground.dieAt('access:code-right', {
      method: 'access.signIn.finish',
      args: [token, { code }, place],
    });
    expect(await count()).toEqual({ begun: 1, codes: 1, sessions: 0 });
    await access.signIn.finish(token, { code }, place);
    expect(await count()).toEqual({ begun: 0, codes: 1, sessions: 1 });
    await expect(access.signIn.finish(token, { code }, place)).rejects.toThrow();
    await ground.rows('delete from postrider.email_queue');
  });

  test('access:resealed → secrets of both keys can be read; asked again, the old key can go', async () => {
    const { secrets } = ground.postrider.access;
    const names = ['a', 'b', 'c'];
    for (const name of names) await secrets.put(name, `secret ${name}`);
    const both = { access: { secretKeys: `${newKey},${oldKey}` } };
    await ground.dieAt('access:resealed', { method: 'access.secrets.rotate', config: both });
    const between = ground.open(both).access.secrets;
    const read = (from: typeof between) => Promise.all(names.map((name) => from.get(name)));
    expect(await read(between)).toEqual(['secret a', 'secret b', 'secret c']);
    expect(await between.rotate()).toMatchObject({ resealed: 2 });
    const last = ground.open({ access: { secretKeys: newKey } }).access.secrets;
    expect(await read(last)).toEqual(['secret a', 'secret b', 'secret c']);
    for (const name of names) await secrets.remove(name);
  });

  test('schedules:broadcast-queued → still a draft; asked again, queued with one run', async () => {
    const { segments, broadcasts } = ground.postrider.resend;
    const segment = await segments.create('acme', 'All');
    const { id } = await broadcasts.create('acme', {
      ...{ name: 'News', segmentId: segment.id, from: 'news@example.com', subject: 'News' },
      html: '<p>News</p>',
    });
    const runs = () => one('select count(*)::int as n from postrider.schedule_runs where zone = $1', [id]);
    await ground.dieAt('schedules:broadcast-queued', {
      method: 'resend.broadcasts.send',
      args: ['acme', id, null],
    });
    expect(await broadcasts.find('acme', id)).toMatchObject({ status: 'draft' });
    expect(await runs()).toBe(0);
    expect(await broadcasts.send('acme', id, null)).toMatchObject({ status: 'queued' });
    expect(await runs()).toBe(1);
    await expect(broadcasts.send('acme', id, null)).rejects.toThrow();
  });

  test('retire:taken-out → the old week is out of the ledger; the next run drops it', async () => {
    const week = (
      await ground.rows<{ week: string }>(
        `select to_char(date_trunc('week', now() at time zone 'UTC') - interval '140 days', 'YYYYMMDD') as week`,
      )
    )[0]!.week;
    for (const parent of ['emails', 'email_bodies', 'email_attempts', 'email_facts']) {
      await ground.rows(`create table postrider.${parent}_${week} (like postrider.${parent} including all)`);
      await ground.rows(
        `do $$ begin execute format('alter table postrider.${parent} attach partition postrider.${parent}_${week} for values from (%L) to (%L)',
           postrider.id_floor('${week}'::timestamp at time zone 'UTC'),
           postrider.id_floor(('${week}'::timestamp + interval '7 days') at time zone 'UTC')); end $$`,
      );
    }
    const tables = async () =>
      (
        await ground.rows<{ name: string }>(
          `select relname as name from pg_class where relname ~ $1 and relkind = 'r' order by 1`,
          [`_${week}(_retired)?$`],
        )
      ).map((row) => row.name);
    await ground.dieAt('retire:taken-out', {});
    expect(await tables()).toContain(`email_bodies_${week}_retired`);
    await prune(await ground.postrider.ready(), { contentDays: 30, logDays: 90 });
    expect(await tables()).toEqual([]);
  });

  test('webhook:claimed, answered, settled → told at least once under one id, and no more once it is settled; disabling → not done, then done with one notice', async () => {
    const sink = await openWebhookSink();
    const { webhooks } = ground.postrider;
    await webhooks.create({ url: sink.url, events: ['email.scheduled'], companyId: 'told' });
    const told = new Map<string, string>();
    for (const where of ['webhook:claimed', 'webhook:answered', 'webhook:settled']) {
      const { emailId } = await ground.postrider.schedule(emailTo('told@example.com', 'told'), later());
      told.set(where, emailId);
      await ground.dieAt(where, {});
    }
    expect(sink.countsOf(told.values())).toEqual([0, 1, 1]);
    const gone = await openWebhookSink(410);
    await ground.postrider.access.tenants.create({ companyId: 'gone', contact: 'ops@gone.example' });
    const { id } = await webhooks.create({ url: gone.url, events: ['email.scheduled'], companyId: 'gone' });
    await ground.postrider.schedule(emailTo('gone@example.com', 'gone'), later());
    await ground.dieAt('webhook:disabling', {});
    const notices = () =>
      one(`select count(*)::int as n from postrider.emails
           where type = 'webhook_disabled' and message -> 'to' -> 0 ->> 'address' = 'ops@gone.example'`);
    expect([(await webhooks.get(id)).status, await notices()]).toEqual(['enabled', 0]);
    // Nobody waits for leases to run out here.
    await ground.rows(
      'update postrider.webhook_deliveries set due_at = now(), leased_until = null where due_at is not null',
    );
    await ground.postrider.start();
    await waitFor(async () => (await webhooks.get(id)).status === 'disabled', {
      ...{ timeoutMs: 20_000, what: 'the endpoint to be given up' },
    });
    expect(await notices()).toBe(1);
    await webhooks.remove(id);
    await gone.close();
    await waitFor(() => sink.countsOf(told.values())[0] === 1 && sink.countsOf(told.values())[1] === 2, {
      ...{ timeoutMs: 20_000, what: 'what was owed' },
    });
    await waitFor(
      async () =>
        (await one(
          'select count(*)::int as n from postrider.webhook_deliveries where due_at is not null',
        )) === 0,
      { timeoutMs: 10_000, what: 'nothing to be owed any more' },
    );
    expect(sink.countsOf(told.values())).toEqual([1, 2, 1]);
    expect(sink.ids()).toBe(3);
    await sink.close();
  });
});
