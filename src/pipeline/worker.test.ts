import { expect, test, vi } from 'vitest';
import { silentLogger, systemClock } from '../kernel/index.js';
import type { Claim, Ledger } from '../outbox/index.js';
import type { RouteBoard } from '../providers/index.js';
import { openedEmail } from './opened-email.fixture.js';
import { createPipelineMetrics } from './pipeline-metrics.js';
import { createWorker } from './worker.js';

const email = openedEmail();
const claim: Claim = { id: email.id, token: email.token, bytes: 20, route: 'default', atMostOnce: false };

function workerOn(ledger: Partial<Ledger>, wake: (fn: () => void) => void) {
  const claims = [[claim]];
  return createWorker({
    source: {
      claim: async () => claims.shift() ?? [],
      claimSuspects: async () => [],
      onWork: wake,
    },
    ledger: ledger as Ledger,
    lease: { mayDeliver: () => true },
    routes: {} as RouteBoard,
    sender: { address: 'noreply@example.com' },
    region: null,
    staging: { redirectAllTo: null, allowedDomains: null },
    findMissingRecipients: async () => new Set(),
    findSuppressed: async () => new Map(),
    ...{ maxAttempts: null, batchSize: 10, concurrency: 4, inFlightBytes: 1_000_000, sendTimeoutMs: 1000 },
    ...{ stopDeadlineMs: 1000, clock: systemClock, random: () => 0, logger: silentLogger },
    metrics: createPipelineMetrics(),
  });
}

test('the database fails between opening and attempting → what was opened is given back, and stop is quick', async () => {
  const releaseStrays = vi.fn<Ledger['releaseStrays']>(async () => 1);
  let wake = () => {};
  const worker = workerOn(
    {
      open: async () => [email],
      pauses: vi.fn().mockRejectedValue(new Error('connection lost')),
      release: async () => 0,
      releaseStrays,
    },
    (fn) => {
      wake = fn;
    },
  );
  await worker.start();
  await vi.waitFor(() => {
    wake();
    expect(releaseStrays).toHaveBeenCalledWith([]);
  }, 5000);
  const before = performance.now();
  await worker.stop({ deadlineMs: 3000 });
  expect(performance.now() - before).toBeLessThan(2500);
});

test('the database hangs while stopping → stop ends at its deadline all the same', async () => {
  const worker = workerOn(
    { open: () => new Promise(() => {}), release: () => new Promise(() => {}) },
    () => {},
  );
  await worker.start();
  const before = performance.now();
  await worker.stop({ deadlineMs: 50 });
  expect(performance.now() - before).toBeLessThan(8000);
}, 15_000);
