import { expect, it } from 'vitest';
import type { ConfigOverrides } from '../../src/index.js';
import { ALERT_PLACES, watchAndDie } from '../chaos/ground/alert-deaths.js';
import { openGround } from '../chaos/ground/open-ground.js';
import { openAlerts, openReceiver } from '../journey/ground/open-alerts.js';
import { anEmail } from '../journey/ground/open-journey.js';
import { deferred, rejected, sent } from '../journey/ground/scripted-provider.js';
import {
  createTestVhost,
  describeWith,
  freePort,
  startPrivatePostgres,
  startSwitchablePort,
  waitFor,
} from '../services/index.js';

/** What `npm test` has no time for: every kill point, a broker that hangs, a minute without a database, an hour of load. */
const HOUR = { timeout: 300_000 };

describeWith('postgres')('alerts on PostgreSQL', { concurrent: true }, () => {
  it(
    'killed at every point between seeing and telling → told, and its end, under one id',
    HOUR,
    async (context) => {
      const died = await watchAndDie(
        context,
        Array.from({ length: 4 * ALERT_PLACES.length }, (_, index) => index + 1),
      );
      expect(died.size).toBeGreaterThan(3);
    },
  );

  it(
    'the server stopped for a minute, seen by two processes → each tells it once, and its end comes once',
    HOUR,
    async (context) => {
      const server = await startPrivatePostgres();
      context.onTestFinished(() => server.remove());
      const ground = await openGround(server.url);
      context.onTestFinished(() => ground.close());
      const receiver = await openReceiver(context);
      const env = {
        POSTRIDER_WEBHOOK_ALLOW_PRIVATE: 'true',
        POSTRIDER_ALERT_WEBHOOK_URL: `${receiver.url}/hook`,
        POSTRIDER_ALERT_WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
        POSTRIDER_ALERT_HEARTBEAT_URL: `${receiver.url}/beat`,
        ...{ POSTRIDER_ALERT_HEARTBEAT_INTERVAL: '1s' },
        ...{ POSTRIDER_ALERT_INTERVAL: '1s', POSTRIDER_ALERT_HOLD: '5s' },
      };
      ground.serve({ roles: 'api', port: await freePort(), env });
      ground.serve({ roles: 'worker', env });
      const beats = () => receiver.got.filter(({ path }) => path === '/beat').length;
      const kinds = () => receiver.of('/hook').map(({ type, data }) => `${type} ${data.alert}`);
      await waitFor(() => beats() > 0, { timeoutMs: 60_000, what: 'a heartbeat' });
      await server.stop('fast');
      const stoppedAt = performance.now();
      await waitFor(() => kinds().length === 2, { timeoutMs: 60_000, what: 'both to tell it' });
      const silent = beats();
      await waitFor(() => performance.now() - stoppedAt > 60_000, { timeoutMs: 120_000, what: 'a minute' });
      expect(beats()).toBe(silent);
      await server.start();
      await waitFor(() => kinds().includes('alert.ended database-away'), {
        timeoutMs: 60_000,
        what: 'its end',
      });
      await waitFor(() => beats() > silent, { timeoutMs: 60_000, what: 'the heartbeat to be back' });
      expect(kinds()).toEqual([
        'alert.opened database-away',
        'alert.opened database-away',
        'alert.ended database-away',
      ]);
    },
  );

  /**
   * Not a real hour: the load of an hour in a minute, with every time of the alerts a sixtieth of its default and every
   * rate at its default. Retries keep their real waits, which makes them sixty times as slow as they are.
   */
  it(
    'the ordinary load of an hour, with deferrals, retries and refusals → nothing is told; the provider goes silent → told',
    HOUR,
    async (context) => {
      const { journey, receiver, begun, another } = await openAlerts(context, {
        ...{ intervalMs: 250, holdMs: 1000, silentMs: 5000, waitingMs: 10_000, bulkWaitingMs: 360_000 },
        ...{ lateMs: 2000, pausedMs: 60_000, routeMs: 5000, webhookMs: 60_000, busMs: 5000 },
        types: { code: { lateMs: 2000 } },
      });
      await journey.postrider.start();
      const other = another();
      await other.start();
      const began = performance.now();
      let count = 0;
      while (performance.now() - began < 60_000) {
        const emails = Array.from({ length: 50 }, () =>
          anEmail({ ...(count++ % 5 === 0 && { type: 'code' }) }),
        );
        for (const { to } of emails.slice(0, 4)) journey.provider.script(to, deferred, sent('later'));
        journey.provider.script(emails[4]!.to, rejected);
        await journey.postrider.sendBatch(emails);
        const sentAt = performance.now();
        await waitFor(() => performance.now() - sentAt > 250, {
          timeoutMs: 1900,
          what: 'a quarter of a minute',
        });
      }
      expect(count).toBeGreaterThan(3000);
      expect(receiver.got).toEqual([]);
      expect(await journey.postrider.alerts.list()).toEqual([]);
      const silent = anEmail();
      journey.provider.script(silent.to, () => new Promise(() => undefined));
      await journey.untilEmpty(120_000);
      // The other has a provider of its own, which is not silent.
      await other.stopWorking();
      await journey.postrider.send(silent);
      await begun('nothing-sent');
    },
  );
});

describeWith('postgres', 'rabbitmq')('alerts about a RabbitMQ that hangs', { concurrent: true }, () => {
  it.for<[string, (url: string) => ConfigOverrides]>([
    ['engine-down', (url) => ({ engine: { name: 'rabbitmq' }, rabbitmq: { url } })],
    ['bus-down', (url) => ({ bus: { url } })],
  ])(
    'it keeps connections open and says nothing → %s; it goes on → over',
    HOUR,
    async ([alert, config], context) => {
      const vhost = await createTestVhost();
      context.onTestFinished(() => vhost.drop());
      const url = new URL(vhost.url);
      const port = await startSwitchablePort(Number(url.port));
      context.onTestFinished(() => port.close());
      url.port = String(port.port);
      const { journey, begun, ended } = await openAlerts(
        context,
        { busMs: 300 },
        { config: config(url.href) },
      );
      await journey.postrider.start();
      port.freeze(true);
      await journey.postrider.send(anEmail());
      await begun(alert);
      port.freeze(false);
      await ended(alert);
    },
  );
});
