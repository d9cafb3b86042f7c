import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PGlite } from '@electric-sql/pglite';
import { expect, test } from 'vitest';
import { createPostrider } from '../../src/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import { waitFor } from '../services/index.js';
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
  expect(texts[1]).toContain('Over since');
  expect(await postrider.alerts.list()).toMatchObject([{ alert: 'no-worker', page: '' }]);
  await postrider.stop({ deadlineMs: 2000 });
  await store.close();
  await new Promise((resolve) => server.close(resolve));
});
