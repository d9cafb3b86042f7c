import { expect, inject, it } from 'vitest';
import {
  createTestVhost,
  describeWith,
  freePort,
  startPrivateRedis,
  startSwitchablePort,
} from '../services/index.js';
import { openAlerts } from './ground/open-alerts.js';
import { anEmail } from './ground/open-journey.js';

/** Alerts about brokers that are cut off, killed or stuck while everything else works. */
describeWith('postgres', 'redis')('alerts about Redis', { concurrent: true }, () => {
  it('Redis is killed and started again → engine-down, and over; emails wait and are sent', async (context) => {
    const redis = await startPrivateRedis();
    context.onTestFinished(() => redis.remove());
    const config = { engine: { name: 'bullmq' as const }, redis: { url: redis.url, prefix: 'alerts' } };
    const { journey, begun, ended, alerts } = await openAlerts(context, {}, { config });
    await journey.postrider.start();
    await redis.kill();
    await journey.postrider.send(anEmail());
    const told = await begun('engine-down');
    expect(told).toMatchObject({ subject: 'bullmq', severity: 'page' });
    expect(told.sentence).toMatch(
      /^A worker cannot use the broker of its engine bullmq: .+\. Emails are accepted and wait\.$/,
    );
    await redis.start();
    await ended('engine-down');
    await journey.untilEmpty();
    expect(alerts()).toEqual(['engine-down']);
  });

  it('Redis is stuck: it takes connections and says nothing → engine-down; it goes on → over', async (context) => {
    const port = await startSwitchablePort(Number(new URL(inject('redisUrl')!).port));
    context.onTestFinished(() => port.close());
    const config = {
      engine: { name: 'bullmq' as const },
      redis: { url: `redis://127.0.0.1:${port.port}`, prefix: `alerts-${process.pid}` },
    };
    const { journey, begun, ended } = await openAlerts(context, {}, { config });
    await journey.postrider.start();
    port.freeze(true);
    await begun('engine-down');
    port.freeze(false);
    await ended('engine-down');
  });
});

describeWith('postgres', 'rabbitmq')('alerts about RabbitMQ', { concurrent: true }, () => {
  /** A virtual host behind a port that can be cut off. */
  async function brokerBehindPort(context: { onTestFinished(end: () => Promise<void>): void }) {
    const vhost = await createTestVhost();
    context.onTestFinished(() => vhost.drop());
    const url = new URL(vhost.url);
    const real = Number(url.port);
    const port = await startSwitchablePort(real);
    context.onTestFinished(() => port.close());
    url.port = String(port.port);
    return {
      url: url.href,
      cut: async () => port.lead(await freePort()),
      restore: async () => port.lead(real),
    };
  }

  it('RabbitMQ is cut off from a worker → engine-down; it is back → over, and what waited is sent', async (context) => {
    const broker = await brokerBehindPort(context);
    const config = { engine: { name: 'rabbitmq' as const }, rabbitmq: { url: broker.url } };
    const { journey, begun, ended } = await openAlerts(context, {}, { config });
    await journey.postrider.start();
    await broker.cut();
    await journey.postrider.send(anEmail());
    expect((await begun('engine-down')).subject).toBe('rabbitmq');
    await broker.restore();
    await ended('engine-down');
    await journey.untilEmpty();
  });

  it('the broker of the bus is cut off, seen by two processes → bus-down and bus-late once each; it is back → over', async (context) => {
    const broker = await brokerBehindPort(context);
    const config = { bus: { url: broker.url, timeoutMs: 500 } };
    const { journey, begun, ended, another, alerts } = await openAlerts(context, { busMs: 300 }, { config });
    await Promise.all([journey.postrider.start(), another({}, { config } as never).start()]);
    await broker.cut();
    await journey.postrider.send(anEmail());
    expect((await begun('bus-down')).sentence).toMatch(
      /^The event bus is stuck: .+\. Its events wait in the database\.$/,
    );
    expect((await begun('bus-late')).sentence).toMatch(
      /^The oldest event has waited \d+ seconds? for the event bus\.$/,
    );
    await broker.restore();
    await ended('bus-late');
    await ended('bus-down');
    expect(alerts().sort()).toEqual(['bus-down', 'bus-late']);
  });
});
