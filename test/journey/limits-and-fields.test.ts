import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApplication } from '../../src/app.js';
import { loadConfig } from '../../src/config.js';
import { createTestDatabase, waitFor } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';
import { deferred, sent } from './ground/scripted-provider.js';

/** The cap on attempts, the fields the two views promise, and a store that starts held. */
describe('limits and fields on PostgreSQL', () => {
  let journey: Journey;
  beforeAll(async () => {
    const email = { maxAttachmentBytes: 40 * 1024 ** 2 };
    journey = await openJourney({ config: { retry: { maxAttempts: 2 }, email } });
    await journey.postrider.start();
  });
  afterAll(() => journey.close());

  test('EMAIL_MAX_RETRIES of 2 → no email gets a third attempt, whatever its preset', async () => {
    const { postrider, provider, untilStatus, hurry } = journey;
    const email = anEmail({ retry: 'bus' });
    provider.script(email.to, deferred);
    const { emailId } = await postrider.send(email);
    expect(await untilStatus(emailId, 'retry')).toMatchObject({ maxAttempts: 2 });
    await hurry(emailId);
    expect(await untilStatus(emailId, 'failed')).toMatchObject({ attempts: 2 });
    expect(provider.callsFor(emailId)).toHaveLength(2);
  });

  test('the same for an email that came by accept_v1', async () => {
    const { provider, untilStatus, hurry, pool } = journey;
    const email = anEmail();
    provider.script(email.to, deferred);
    const { rows } = await pool.query<{ id: string }>(
      `select postrider.accept_v1(to_address => $1, subject => 'x', text_body => 'x') as id`,
      [email.to],
    );
    const id = rows[0]!.id;
    await untilStatus(id, 'retry');
    await hurry(id);
    expect(await untilStatus(id, 'failed')).toMatchObject({ attempts: 2 });
    expect(provider.callsFor(id)).toHaveLength(2);
  });

  test('files of 40 MB → accepted where the setting says so, and attempted one email at a time; a byte more → refused', async () => {
    const { postrider, provider, untilStatus } = journey;
    const attachments = [{ filename: 'a.bin', content: Buffer.alloc(40 * 1024 ** 2).toString('base64') }];
    const emails = [anEmail({ attachments }), anEmail({ attachments })];
    let atOnce = 0;
    let most = 0;
    for (const { to } of emails)
      provider.script(to, async ({ id, attachments: files }) => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        // The other one would be begun by now if it could be.
        for (let turn = 0; turn < 20; turn++)
          await postrider.ready().then((store) => store.query('select 1'));
        atOnce -= 1;
        expect(files).toHaveLength(1);
        return sent(id);
      });
    for (const { emailId } of await Promise.all(emails.map((email) => postrider.send(email))))
      await untilStatus(emailId, 'sent', 60_000);
    expect(most).toBe(1);
    const one = { filename: 'b.bin', content: 'QQ==' };
    await expect(postrider.send(anEmail({ attachments: [...attachments, one] }))).rejects.toMatchObject({
      ...{ code: 'PAYLOAD_TOO_LARGE', field: 'attachments' },
    });
  });

  test('email_logs and email_events → the fields of the sources', async () => {
    const columns = async (view: string) =>
      (
        await journey.pool.query<{ name: string }>(
          `select column_name as name from information_schema.columns
           where table_schema = 'postrider' and table_name = $1`,
          [view],
        )
      ).rows.map(({ name }) => name);
    expect(await columns('email_logs')).toEqual(
      expect.arrayContaining([
        ...['id', 'outbox_id', 'company_id', 'recipient_id', 'user_id', 'to', 'subject', 'type', 'lang'],
        ...['status', 'provider', 'message_id', 'error_code', 'error_reason', 'last_error', 'attempts'],
        ...['max_attempts', 'duration_ms', 'request_id', 'priority', 'metadata', 'scheduled_at'],
        ...[
          'expires_at',
          'next_attempt_at',
          'created_at',
          'updated_at',
          'processed_at',
          'sent_at',
          'failed_at',
        ],
      ]),
    );
    expect(await columns('email_events')).toEqual(
      expect.arrayContaining(['email_log_id', 'sequence', 'type', 'metadata', 'created_at']),
    );
  });
});

test('served held → accepts and sends nothing until it is let go', async () => {
  const database = await createTestDatabase();
  const application = await openApplication(
    loadConfig({
      env: {},
      file: null,
      overrides: {
        database: { url: database.url },
        email: { mode: 'console', fromEmail: 'noreply@example.com' },
        log: { level: 'silent' },
        worker: { pollIntervalMs: 100 },
      },
    }),
  );
  try {
    await application.serve({ roles: ['worker'], hold: true });
    const { emailId } = await application.send({ to: 'reader@example.net', subject: 'Hello', text: 'Hello' });
    const { workers, pauses } = await application.overview();
    expect({ workers: workers.length, pauses }).toMatchObject({ workers: 1, pauses: [{ scope: 'all' }] });
    const before = performance.now();
    await waitFor(() => performance.now() - before > 500, { timeoutMs: 2000, what: 'several polls' });
    expect(await application.get(emailId)).toMatchObject({ status: 'pending', attempts: 0 });
    await application.resume('all', '');
    await waitFor(async () => (await application.get(emailId))?.status === 'sent', {
      timeoutMs: 5000,
      what: 'the email to be sent',
    });
  } finally {
    await application.stop({ deadlineMs: 2000 });
    await database.drop();
  }
});
