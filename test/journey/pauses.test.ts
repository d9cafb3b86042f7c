import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PauseScope } from '../../src/outbox/index.js';
import { waitFor } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';
import { wrongPassword } from './ground/scripted-provider.js';

/** Sending held back on purpose or by a broken account, and let go again. */
describe('pauses on PostgreSQL', () => {
  let journey: Journey;
  beforeAll(async () => {
    journey = await openJourney();
    await journey.postrider.start();
  });
  afterAll(() => journey.close());

  test.each([
    ['tenant', 'acme'],
    ['type', 'digest'],
  ] as const)('pause of one %s → its emails wait, the others go; resume → they go', async (scope, value) => {
    const { postrider, provider, untilStatus } = journey;
    await journey.pauseAndBeKnown(scope, value);
    const held = await postrider.send(anEmail({ companyId: 'acme', type: 'digest' }));
    const other = await postrider.send(anEmail({ companyId: 'other', type: 'welcome' }));
    await untilStatus(other.emailId, 'sent');
    expect(await postrider.get(held.emailId)).toMatchObject({ status: 'pending', attempts: 0 });
    expect(provider.callsFor(held.emailId)).toHaveLength(0);
    expect((await postrider.overview()).pauses).toMatchObject([{ scope, value, reason: 'for a test' }]);
    await postrider.resume(scope, value);
    expect(await untilStatus(held.emailId, 'sent', 3000)).toMatchObject({ attempts: 1 });
    expect((await postrider.overview()).pauses).toEqual([]);
  });

  test.each([
    ['all', ''],
    ['route', 'default'],
  ] as const)('pause of %s → nothing goes; resume → everything goes', async (scope, value) => {
    const { postrider, provider, untilStatus } = journey;
    await journey.pauseAndBeKnown(scope, value);
    const held = await postrider.send(anEmail());
    const before = performance.now();
    await waitFor(() => performance.now() - before > 400, { timeoutMs: 1000, what: 'several polls' });
    expect(await postrider.get(held.emailId)).toMatchObject({ status: 'pending' });
    expect(provider.callsFor(held.emailId)).toHaveLength(0);
    await postrider.resume(scope, value);
    await untilStatus(held.emailId, 'sent', 3000);
  });

  test('killed between lifting a pause and bringing its emails back → they go all the same, others stay', async () => {
    const { postrider, pool, untilStatus } = journey;
    await journey.pauseAndBeKnown('type', 'digest');
    await journey.pauseAndBeKnown('type', 'newsletter');
    const held = await postrider.send(anEmail({ type: 'digest' }));
    const other = await postrider.send(anEmail({ type: 'newsletter' }));
    const parked = () => pool.query('select 1 from postrider.email_queue where parked');
    await waitFor(async () => (await parked()).rowCount === 2, { timeoutMs: 5000, what: 'both set aside' });
    // what resume commits first
    await pool.query("delete from postrider.pauses where value = 'digest'");
    await untilStatus(held.emailId, 'sent', 3000);
    expect(await postrider.get(other.emailId)).toMatchObject({ status: 'pending', parked: true });
    await postrider.resume('type', 'newsletter');
    await untilStatus(other.emailId, 'sent', 3000);
  });

  test('resume while a worker still believes in the pause → nothing stays behind', async () => {
    const { postrider, pool } = journey;
    for (let round = 0; round < 5; round++) {
      await journey.pauseAndBeKnown('type', 'digest');
      const batch = await postrider.sendBatch(Array.from({ length: 20 }, () => anEmail({ type: 'digest' })));
      await waitFor(
        async () =>
          (await pool.query('select 1 from postrider.email_queue where parked')).rowCount === batch.length,
        { timeoutMs: 5000, what: 'all to be set aside' },
      );
      await postrider.resume('type', 'digest');
      await journey.untilEmpty(5000);
    }
  });

  test('two pauses, one lifted → what the other holds stays until it is lifted too', async () => {
    const { postrider, provider, untilStatus } = journey;
    await postrider.pause('tenant', 'acme');
    await journey.pauseAndBeKnown('type', 'digest');
    const both = await postrider.send(anEmail({ companyId: 'acme', type: 'digest' }));
    const typeOnly = await postrider.send(anEmail({ companyId: 'other', type: 'digest' }));
    await postrider.resume('type', 'digest');
    await untilStatus(typeOnly.emailId, 'sent', 3000);
    expect(provider.callsFor(both.emailId)).toHaveLength(0);
    await postrider.resume('tenant', 'acme');
    await untilStatus(both.emailId, 'sent', 3000);
  });

  test('a pause without its name or of an unknown kind → INVALID_PAYLOAD', async () => {
    const { postrider } = journey;
    await expect(postrider.pause('tenant', '')).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' });
    await expect(postrider.pause('moon' as PauseScope, 'x')).rejects.toMatchObject({
      code: 'INVALID_PAYLOAD',
    });
    expect((await postrider.overview()).pauses).toEqual([]);
  });

  test('wrong password → the route pauses itself, the emails are kept and no attempt is counted', async () => {
    const { postrider, provider, untilStatus } = journey;
    const email = anEmail();
    provider.script(email.to, wrongPassword);
    const { emailId } = await postrider.send(email);
    const [pause] = await waitFor(
      async () => {
        const { pauses } = await postrider.overview();
        return pauses.length > 0 && pauses;
      },
      { timeoutMs: 5000, what: 'the route to be paused' },
    );
    expect(pause).toMatchObject({ scope: 'route', value: 'default' });
    expect(pause!.reason).toContain('SMTP_535');
    const behind = await postrider.send(anEmail());
    const { attempts, status } = (await postrider.get(emailId))!;
    expect({ attempts, status: ['scheduled', 'pending'].includes(status) }).toEqual({
      attempts: 0,
      status: true,
    });
    expect(await journey.eventTypes(emailId)).toEqual(['ENQUEUED', 'RELEASED']);
    provider.script(email.to);
    await postrider.resume('route', 'default');
    expect(await untilStatus(emailId, 'sent')).toMatchObject({ attempts: 1 });
    await untilStatus(behind.emailId, 'sent');
    expect(await journey.eventTypes(emailId)).toEqual([
      'ENQUEUED',
      'RELEASED',
      'RECEIVED',
      'VALIDATED',
      'SENT_ATTEMPT',
      'SENT',
    ]);
  });
});
