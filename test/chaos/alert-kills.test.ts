import { expect, test } from 'vitest';
import { openReceiver } from '../journey/ground/open-alerts.js';
import { describeWith, freePort, waitFor } from '../services/index.js';
import { ALERT_PLACES, watchAndDie } from './ground/alert-deaths.js';
import { openGround } from './ground/open-ground.js';

/** Processes that watch, and what they watch, killed. test/long/alerts.test.ts dies at every point. */
describeWith('postgres')('alerts and SIGKILL', { concurrent: true }, () => {
  test('killed at each place between seeing and telling → told, and its end, under one id', async (context) => {
    expect([...(await watchAndDie(context, ALERT_PLACES))].sort()).toEqual([...ALERT_PLACES].sort());
  });

  test('a worker process killed beside an API process → the API process tells that no worker is alive; another is started → over', async (context) => {
    const receiver = await openReceiver(context);
    const ground = await openGround();
    context.onTestFinished(() => ground.close());
    const env = {
      POSTRIDER_WEBHOOK_ALLOW_PRIVATE: 'true',
      POSTRIDER_ALERT_WEBHOOK_URL: `${receiver.url}/hook`,
      POSTRIDER_ALERT_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
      ...{ POSTRIDER_ALERT_INTERVAL: '250ms', POSTRIDER_ALERT_HOLD: '250ms' },
    };
    ground.serve({ roles: 'api', port: await freePort(), env });
    const worker = ground.serve({
      roles: 'worker',
      instance: 'victim',
      env: { ...env, POSTRIDER_ALERTS: 'false' },
    });
    await waitFor(
      async () => (await ground.query('select 1 from postrider.workers where ended_at is null')).length > 0,
      { timeoutMs: 60_000, what: `a worker\n${worker.output()}` },
    );
    worker.kill('SIGKILL');
    await worker.gone;
    const seen = (type: string) => receiver.of('/hook').filter((one) => one.type === type);
    await waitFor(() => seen('alert.opened').length > 0, { timeoutMs: 60_000, what: 'it to be told' });
    expect(seen('alert.opened')[0]!.data).toMatchObject({
      alert: 'no-worker',
      sentence: expect.stringMatching(
        /^No worker is alive; the last one was seen \d+ seconds? ago\. Emails are accepted and will wait\.$/,
      ),
    });
    ground.serve({ roles: 'worker', env: { ...env, POSTRIDER_ALERTS: 'false' } });
    await waitFor(() => seen('alert.ended').length > 0, { timeoutMs: 60_000, what: 'its end' });
    expect(receiver.of('/hook')).toHaveLength(2);
  });
});
