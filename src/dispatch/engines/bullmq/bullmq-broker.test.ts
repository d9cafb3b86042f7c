import { createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLogger } from '../../../kernel/index.js';
import { createBullmqBroker } from './bullmq-broker.js';
import { RENEW_MS } from './mark-prefix.js';

/** What needs no Redis; the rest is in the contract of engines. */
test('stopped while it connects → nothing of it goes on', async () => {
  let knocked = false;
  const silent = createServer(() => {
    knocked = true;
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await vi.waitFor(() => expect(silent.listening).toBe(true), 20_000);
  const { port } = silent.address() as { port: number };
  const repeat = vi.spyOn(globalThis, 'setInterval');
  onTestFinished(() => repeat.mockRestore());
  const broker = createBullmqBroker({
    ...{ url: `redis://127.0.0.1:${port}`, prefix: 'x', prefetch: 1, store: 'one', logger: silentLogger },
    gatewayWaitMs: () => 1000,
  });
  const starting = broker.start({ onBell() {}, onState() {}, onNothingOut() {}, onRefused() {} });
  await vi.waitFor(() => expect(knocked).toBe(true), 20_000);
  await broker.stop({ deadlineMs: 0 });
  await starting;
  expect(repeat).not.toHaveBeenCalledWith(expect.anything(), RENEW_MS);
}, 60_000);
