import { expect, test, vi } from 'vitest';
import { silentLogger, systemClock } from '../kernel/index.js';
import type { Claim, Ledger } from '../outbox/index.js';
import type { RouteBoard } from '../providers/index.js';
import { openedEmail } from './opened-email.fixture.js';
import { createPipelineMetrics } from './pipeline-metrics.js';
import { createWorker } from './worker.js';

const email = openedEmail();
const claim: Claim = { id: email.id, token: email.token, bytes: 20, route: 'default', atMostOnce: false };

function workerOn(
  ledger: Partial<Ledger>,
  wake: (fn: () => void) => void,
  {
    claims = [[claim]],
    suspects = [],
    concurrency = 4,
  }: { claims?: Claim[][]; suspects?: Claim[][]; concurrency?: number } = {},
) {
  return createWorker({
    source: {
      claim: async () => claims.shift() ?? [],
      claimSuspects: async () => suspects.shift() ?? [],
      onWork: wake,
    },
    ledger: ledger as Ledger,
    lease: { mayDeliver: () => true },
    routes: {} as RouteBoard,
    sender: { address: 'noreply@example.com' },
    region: null,
    staging: { redirectAllTo: null, allowedDomains: null },
    completeFromSql: () => {},
    findMissingRecipients: async () => new Set(),
    findSuppressed: async () => new Map(),
    ...{ maxAttempts: null, batchSize: 20, concurrency, inFlightBytes: 1_000_000, sendTimeoutMs: 1000 },
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

test('most of what is in flight gets no answer → the others go through the little room that is left', async () => {
  const named = (name: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ ...claim, id: `${name}${i}` }));
  const opened: string[] = [];
  const worker = workerOn(
    {
      async open(batch) {
        opened.push(...batch.map(({ id }) => id));
        return batch.map(({ id }) => openedEmail({ id, expired: true }));
      },
      pauses: vi.fn().mockResolvedValue({ all: false, routes: new Set(), tenants: [], types: new Set() }),
      expire: ([first]) => (first?.id.startsWith('slow') ? new Promise(() => {}) : Promise.resolve([])),
      release: async () => 0,
      releaseStrays: async () => 0,
    },
    () => {},
    { claims: [named('slow', 9), named('quick', 8)], concurrency: 10 },
  );
  await worker.start();
  await vi.waitFor(() => expect(opened).toHaveLength(17), 20_000);
  await worker.stop({ deadlineMs: 0 });
}, 60_000);

const nothingPaused = vi
  .fn()
  .mockResolvedValue({ all: false, events: false, routes: new Set(), tenants: [], types: new Set() });

test.each<[string, Pick<Claim, 'groupLimit'>]>([
  ['email of a batch', {}],
  ['suspect of a group', { groupLimit: 5 }],
  ['suspect that may only be alone', { groupLimit: 1 }],
])(
  'one %s cannot be opened → it is put off with the reason, and those beside it are opened',
  async (_what, group) => {
    const ids = ['a', 'b', 'bad', 'c', 'd'];
    const batch = ids.map((id) => ({ ...claim, ...group, id }));
    const opened: string[] = [];
    const release = vi.fn<Ledger['release']>(async () => 1);
    const worker = workerOn(
      {
        async open(batch) {
          if (batch.some(({ id }) => id === 'bad')) throw new Error('cannot be read');
          opened.push(...batch.map(({ id }) => id));
          return [];
        },
        pauses: nothingPaused,
        release,
        releaseStrays: async () => 0,
      },
      () => {},
      group.groupLimit === 1
        ? { claims: [], suspects: batch.map((one) => [one]), concurrency: 8 }
        : group.groupLimit
          ? { claims: [], suspects: [batch], concurrency: 12 }
          : { claims: [batch], concurrency: 8 },
    );
    await worker.start();
    await vi.waitFor(() => expect(release).toHaveBeenCalled(), 20_000);
    await vi.waitFor(() => expect([...opened].sort()).toEqual(['a', 'b', 'c', 'd']), 20_000);
    const [claims, options] = release.mock.calls[0]!;
    expect(claims.map(({ id }) => id)).toEqual(['bad']);
    expect(options).toMatchObject({ why: 'it could not be opened: cannot be read', delayMs: 60_000 });
    await worker.stop();
  },
  60_000,
);

test('a suspect that may only be alone → nothing else is opened until others may stand beside it', async () => {
  const steps: string[] = [];
  const worker = workerOn(
    {
      async open(batch, how) {
        steps.push(...batch.map(({ id }) => `${id}${how?.alone ? ' alone' : ''}`));
        return batch.map(({ id }) => openedEmail({ id, expired: true }));
      },
      pauses: nothingPaused,
      expire: ([first]) => (first?.id === 'suspect' ? new Promise(() => {}) : Promise.resolve([])),
      async endAlone({ id }) {
        steps.push(`${id} not alone`);
      },
      release: async () => 0,
      releaseStrays: async () => 0,
    },
    () => {},
    { claims: [[{ ...claim, id: 'fresh' }]], suspects: [[{ ...claim, id: 'suspect', groupLimit: 1 }]] },
  );
  await worker.start();
  await vi.waitFor(() => expect(steps).toHaveLength(3), 20_000);
  expect(steps).toEqual(['suspect alone', 'suspect not alone', 'fresh']);
  await worker.stop({ deadlineMs: 0 });
}, 60_000);
