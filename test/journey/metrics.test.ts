import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../services/index.js';
import { type Door, openDoor } from './ground/open-door.js';

/** What /metrics says of the queue and of deliveries, over a real ledger. */
describe('/metrics on PostgreSQL', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor();
  });
  afterAll(() => door.close());

  const scrape = async () => (await door.call('GET', '/metrics')).text;
  const figureOf = (text: string, figure: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${figure} `))
      ?.split(' ')[1];

  test('emails that wait → counted by priority and state; sent ones → timed from acceptance', async () => {
    const email = { to: 'ada@example.net', subject: 'x', text: 'x' };
    await door.call('POST', '/v1/email/send', { body: { ...email, priority: 1 } });
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    await door.call('POST', '/v1/email/send', { body: { ...email, scheduledAt } });
    const before = await scrape();
    expect(figureOf(before, 'email_queue_depth{priority="1",state="ready"}')).toBe('1');
    expect(figureOf(before, 'email_queue_depth{priority="3",state="waiting"}')).toBe('1');
    expect(Number(figureOf(before, 'email_queue_oldest_due_seconds'))).toBeGreaterThan(0);
    expect(figureOf(before, 'workers_alive')).toBe('0');
    // Its bell is in a broker, which is no reason not to count how long it waits.
    await door.pool.query('update postrider.email_queue set ready = false, rung_at = now() where ready');
    const rung = await scrape();
    expect(figureOf(rung, 'email_queue_depth{priority="1",state="ready"}')).toBe('1');
    expect(Number(figureOf(rung, 'email_queue_oldest_due_seconds'))).toBeGreaterThan(0);
    await door.pool.query(
      'update postrider.email_queue set ready = true, rung_at = null where rung_at is not null',
    );
    await door.postrider.start();
    await waitFor(async () => figureOf(await scrape(), 'email_delivery_seconds_count') === '1', {
      timeoutMs: 10_000,
      what: 'a delivery in the figures',
    });
    const after = await scrape();
    expect(Number(figureOf(after, 'email_delivery_seconds_sum'))).toBeGreaterThan(0);
    expect(figureOf(after, 'pipeline_settle_batch_size_count')).toBe('1');
    const sends = 'http_request_duration_seconds_count{method="POST",route="/v1/email/send",status="202"}';
    expect(figureOf(after, sends)).toBe('2');
  });

  test('an address or an id in a path → is in no label', async () => {
    await door.call('GET', '/v1/suppressions/somebody@example.net');
    await door.call('GET', '/somewhere/else/altogether');
    const text = await scrape();
    expect(text).toContain('route="/v1/suppressions/:email"');
    expect(text).not.toMatch(/somebody|altogether/);
  });
});
