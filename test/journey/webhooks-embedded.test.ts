import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PGlite } from '@electric-sql/pglite';
import { expect, test } from 'vitest';
import { createPostrider } from '../../src/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import { waitFor } from '../services/index.js';
import { scriptedProvider } from './ground/scripted-provider.js';

test('the embedded store → an endpoint is told, its secret changed, and what it was told replayed', async () => {
  const ids: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    ids.push(String(request.headers['webhook-id']));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const store = new PGlite();
  const postrider = createPostrider({
    database: store,
    provider: scriptedProvider(),
    from: { address: 'noreply@example.com' },
    logger: silentLogger,
    config: {
      webhooks: { allowPrivate: true },
      access: { secretKeys: `k1:${Buffer.alloc(32, 7).toString('base64')}` },
    },
  });
  await postrider.start();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { id } = await postrider.webhooks.create({ url });
  await postrider.webhooks.rotate(id);
  await postrider.send({ to: 'reader@example.net', subject: 'Hello', text: 'Hello' });
  const status = async () => (await postrider.webhooks.deliveries(id)).deliveries[0]?.status;
  await waitFor(async () => (await status()) === 'success', { timeoutMs: 15_000, what: 'success' });
  const since = new Date(0);
  expect(await postrider.webhooks.replay(id, { since, status: 'all' })).toEqual({ replayed: 1 });
  await waitFor(() => ids.length === 2, { timeoutMs: 10_000, what: 'the replay' });
  expect(ids[0]).toBe(ids[1]);
  await postrider.stop({ deadlineMs: 2000 });
  await store.close();
  await new Promise((resolve) => server.close(resolve));
});
