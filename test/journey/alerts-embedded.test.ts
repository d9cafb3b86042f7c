import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PGlite } from '@electric-sql/pglite';
import { expect, test } from 'vitest';
import { createPostrider, defineSchedule } from '../../src/index.js';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import { openMemoryPglite } from '../../src/store/index.js';
import { waitFor } from '../services/index.js';
import { openReceiver } from './ground/open-alerts.js';
import { scriptedProvider } from './ground/scripted-provider.js';

test('the embedded store without a worker → told with its end, and listed', async () => {
  const texts: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      texts.push(JSON.parse(body).text);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const store = new PGlite();
  const slackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const postrider = createPostrider({
    database: store,
    provider: scriptedProvider(),
    from: { address: 'noreply@example.com' },
    logger: silentLogger,
    config: { webhooks: { allowPrivate: true }, alerts: { slackUrl, intervalMs: 100, holdMs: 300 } },
  });
  await postrider.send({ to: 'reader@example.net', subject: 'Hello', text: 'Hello' });
  await postrider.alerts.start();
  const until = (count: number, what: string) =>
    waitFor(() => texts.length === count, { timeoutMs: 15_000, what });
  await until(1, 'it to be told');
  expect(texts[0]).toContain('No worker is alive. Emails are accepted and wait.');
  await postrider.start();
  await until(2, 'its end');
  expect(texts[1]).toContain('Over: ');
  expect(await postrider.alerts.list()).toMatchObject([{ alert: 'no-worker', page: '' }]);
  await postrider.stop({ deadlineMs: 2000 });
  await store.close();
  await new Promise((resolve) => server.close(resolve));
});

test('a schedule whose time passes while no scheduler is there → schedule-missed; it is paused → over', async (context) => {
  const receiver = await openReceiver(context);
  const store = await openMemoryPglite();
  context.onTestFinished(() => store.close());
  let movedMs = 0;
  const clock = {
    now: () => systemClock.now() + movedMs,
    monotonic: () => systemClock.monotonic() + movedMs,
  };
  const advance = async (ms: number) => {
    movedMs += ms;
    await store.moveTime(movedMs);
  };
  const nightly = defineSchedule({
    name: 'nightly',
    cron: '0 3 * * *',
    catchUp: 'last',
    campaign: {
      audience: async () => ({ people: [], cursor: null }),
      key: (to: string) => to,
      email: (to) => ({ to, subject: 'Hello', text: 'Hello' }),
    },
  });
  const postrider = createPostrider({
    ...{ database: store, provider: scriptedProvider(), clock, logger: silentLogger },
    ...{ from: { address: 'noreply@example.com' }, schedules: [nightly] },
    config: {
      webhooks: { allowPrivate: true },
      alerts: {
        // Time is moved by hours at once, which is no gap here.
        ...{ intervalMs: 100, holdMs: 0, heartbeatMs: 100, heartbeatUrl: `${receiver.url}/beat` },
        slackUrl: `${receiver.url}/slack`,
      },
    },
  });
  context.onTestFinished(() => postrider.stop({ deadlineMs: 0 }));
  await postrider.start();
  await postrider.alerts.start();
  const texts = () =>
    receiver.got.filter(({ path }) => path === '/slack').map(({ body }) => JSON.parse(body).text as string);
  const looked = async () => {
    const beats = receiver.got.length;
    await waitFor(() => receiver.got.length > beats + 1, { timeoutMs: 30_000, what: 'a look' });
  };
  await looked();
  await advance(25 * 3_600_000);
  await looked();
  await advance(2 * 60_000);
  await waitFor(() => texts().some((text) => text.includes('The schedule nightly was due at')), {
    timeoutMs: 30_000,
    what: 'it to be told',
  });
  await postrider.schedules.pause('nightly');
  await advance(2 * 60_000);
  await waitFor(() => texts().some((text) => text.includes('Over: The schedule nightly')), {
    timeoutMs: 30_000,
    what: 'its end',
  });
});
