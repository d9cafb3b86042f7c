import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';
import { deferred, rejected, wrongPassword } from './ground/scripted-provider.js';

/** What the log says about an email, and what it never says. */
describe('log lines on PostgreSQL', () => {
  const SECRETS = [
    'Your-code-is-482913',
    'TOPSECRET-html',
    'TOPSECRET-text',
    'TOPSECRET-meta',
    'TOPSECRET-file',
  ];
  const ids: Record<string, string> = {};
  let journey: Journey;

  beforeAll(async () => {
    journey = await openJourney();
    const { postrider, provider, untilStatus } = journey;
    const secret = () =>
      anEmail({
        subject: 'Your-code-is-482913',
        html: '<p>TOPSECRET-html</p>',
        text: 'TOPSECRET-text',
        companyId: 'acme',
        metadata: { note: 'TOPSECRET-meta' },
        attachments: [{ filename: 'a.txt', content: Buffer.from('TOPSECRET-file').toString('base64') }],
      });
    await postrider.start();
    for (const [name, outcome, status] of [
      ['sent', undefined, 'sent'],
      ['rejected', rejected, 'failed'],
      ['deferred', deferred, 'retry'],
    ] as const) {
      const email = secret();
      if (outcome) provider.script(email.to, outcome);
      const { emailId } = await postrider.send(email, { requestId: `req-${name}` });
      await untilStatus(emailId, status);
      ids[name] = emailId;
    }
    await postrider.cancel(ids.deferred!);
    await expect(postrider.send({ ...secret(), to: 'nobody' })).rejects.toThrow();
    const stuck = secret();
    provider.script(stuck.to, wrongPassword);
    await postrider.send(stuck);
    await waitFor(async () => (await postrider.overview()).pauses.length > 0, {
      timeoutMs: 5000,
      what: 'the route to pause itself',
    });
    await journey.postrider.stop({ deadlineMs: 1000 });
  });
  afterAll(() => journey.close());

  const about = (name: string) =>
    journey.lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line.outboxId === ids[name]);

  test.each(['sent', 'rejected', 'deferred'])('%s → every line about it carries the six fields', (name) => {
    const lines = about(name);
    expect(lines.length).toBeGreaterThanOrEqual(5);
    for (const line of lines) {
      expect(line).toMatchObject({
        outboxId: ids[name],
        requestId: `req-${name}`,
        companyId: 'acme',
        attempt: 1,
        state: expect.stringMatching(/^[A-Z_]+$/),
        durationMs: expect.any(Number),
        time: expect.any(String),
      });
    }
  });

  test.each([
    ['sent', ['RECEIVED', 'VALIDATED', 'SENT_ATTEMPT', 'SENT']],
    ['rejected', ['RECEIVED', 'VALIDATED', 'SENT_ATTEMPT', 'FAILED']],
    ['deferred', ['RECEIVED', 'VALIDATED', 'SENT_ATTEMPT', 'RETRY_SCHEDULED']],
  ])('%s → a line for each state', (name, states) => {
    expect([...new Set(about(name).map((line) => line.state))]).toEqual(states);
  });

  test('the end of each → one line at the level a person looks at, with the error code', () => {
    const end = (name: string) => about(name).filter((line) => Number(line.level) >= 30);
    expect(end('sent')).toMatchObject([{ level: 30, msg: 'email sent', provider: 'scripted' }]);
    expect(end('rejected')).toMatchObject([{ level: 40, msg: 'email failed', errorCode: 'SMTP_550' }]);
    expect(end('deferred')).toMatchObject([
      { level: 40, msg: 'email will be retried', errorCode: 'SMTP_451' },
    ]);
  });

  test('whatever happened → no subject, body, attachment or metadata in any line', () => {
    const all = journey.lines.join('');
    expect(journey.lines.length).toBeGreaterThan(15);
    for (const secret of [...SECRETS, Buffer.from('TOPSECRET-file').toString('base64')]) {
      expect(all).not.toContain(secret);
    }
    expect(all).not.toContain('@example.net');
  });

  test('the five figures → counted under their names', async () => {
    const text = await journey.postrider.metrics.registry.metrics();
    expect(text).toMatch(/pipeline_state_transitions_total\{state="SENT"\} 1\b/);
    expect(text).toMatch(/pipeline_retry_count_total\{category="TRANSIENT_ERROR"\} 1\b/);
    expect(text).toMatch(/pipeline_final_state_total\{state="sent"\} 1\b/);
    expect(text).toMatch(/pipeline_final_state_total\{state="failed"\} 1\b/);
    expect(text).toMatch(/pipeline_processing_duration_seconds_count\{state="SENT"\} 1\b/);
    expect(text).toContain('# TYPE pipeline_validation_failures_total counter');
  });
});
