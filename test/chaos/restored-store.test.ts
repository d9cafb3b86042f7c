import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defineSchedule } from '../../src/index.js';
import { anEmail, type Journey, openJourney } from '../journey/ground/open-journey.js';
import { describeWith, waitFor } from '../services/index.js';

/** A store restored from a backup does not know what was sent since; nothing may leave it before somebody has looked. */
describeWith('postgres')('a store restored from a backup', () => {
  let journey: Journey;
  const notified: string[] = [];
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      notified.push(String(request.headers['webhook-id']));
      response.end();
    });
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    journey = await openJourney({
      config: {
        webhooks: { allowPrivate: true },
        access: { secretKeys: `k1:${Buffer.alloc(32, 7).toString('base64')}` },
      },
      schedules: [
        defineSchedule({
          name: 'report',
          cron: null,
          campaign: {
            audience: async () => ({ people: ['reader'], cursor: null }),
            key: (person: string) => person,
            email: () => ({ to: 'reader@example.net', subject: 'The report', text: 'All is well.' }),
          },
        }),
      ],
    });
  });
  afterAll(async () => {
    await journey?.close();
    await new Promise((closed) => receiver.close(closed));
  });

  test('started as it is held → no email, webhook or schedule; resumed → each once, marked as a possible duplicate', async () => {
    const { postrider, pool, provider, untilStatus } = journey;
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const { id: endpoint } = await postrider.webhooks.create({
      url,
      events: ['email.sent', 'email.suppressed'],
    });
    const email = await postrider.send(anEmail());
    const once = await postrider.send(anEmail({ delivery: 'at-most-once' }));
    // An event that was due when the backup was made.
    await pool.query(
      `insert into postrider.webhook_deliveries (endpoint_id, tenant, email_id, type, payload, due_at)
       select id, tenant, $2, 'email.sent', '{"type":"email.sent","data":{}}', clock_timestamp()
       from postrider.webhook_endpoints where id = $1`,
      [endpoint, email.emailId],
    );

    expect(await postrider.markRestored()).toEqual({ possibleDuplicates: 1, unknown: 1 });
    // Killed half-way it is run again: nothing is marked or ended twice.
    expect(await postrider.markRestored()).toEqual({ possibleDuplicates: 0, unknown: 0 });
    expect((await postrider.overview()).pauses).toMatchObject([{ scope: 'all', events: true }]);
    await postrider.start();
    await postrider.schedules.start();
    await postrider.schedules.runNow('report');
    expect((await postrider.get(once.emailId))?.status).toBe('unknown');
    const before = performance.now();
    await waitFor(() => performance.now() - before > 2500, {
      timeoutMs: 4000,
      what: 'several polls of each service',
    });
    expect([provider.calls.length, notified.length]).toEqual([0, 0]);
    expect(await postrider.schedules.runs('report')).toMatchObject([{ state: 'running' }]);
    expect(await postrider.get(email.emailId)).toMatchObject({ status: 'pending', possibleDuplicate: true });

    await postrider.resume('all');
    await untilStatus(email.emailId, 'sent');
    await waitFor(() => notified.length >= 2, { timeoutMs: 10_000, what: 'the webhooks' });
    expect(provider.callsFor(once.emailId)).toHaveLength(0);
    await waitFor(async () => (await postrider.schedules.runs('report'))[0]?.state === 'done', {
      timeoutMs: 10_000,
      what: 'the campaign',
    });
    const events = await postrider.timeline(email.emailId);
    expect(events.map(({ type }) => type)).toContain('RELEASED');
    expect(await postrider.get(email.emailId)).toMatchObject({ possibleDuplicate: true });
  });

  test('while a worker runs → WORKERS_RUNNING, nothing is marked', async () => {
    await expect(journey.postrider.markRestored()).rejects.toMatchObject({ code: 'WORKERS_RUNNING' });
  });
});
