import { expect, test, vi } from 'vitest';
import { silentLogger, systemClock } from '../kernel/index.js';
import type { Claim, Ledger } from '../outbox/index.js';
import type { Provider, RouteBoard } from '../providers/index.js';
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
    provider = {},
    claimSuspects = async () => suspects.shift() ?? [],
  }: {
    claims?: Claim[][];
    suspects?: Claim[][];
    concurrency?: number;
    provider?: Partial<Provider>;
    claimSuspects?: (limit: number, beside: number) => Promise<Claim[]>;
  } = {},
) {
  const route = { name: 'default', provider: { name: 'scripted', callsBegin: true, ...provider } };
  const lane = { route, enter: () => ({ kind: 'pass', probe: false }), leave() {} };
  return createWorker({
    source: {
      claim: async () => claims.shift() ?? [],
      claimSuspects,
      onWork: wake,
    },
    ledger: ledger as Ledger,
    lease: { mayDeliver: () => true },
    routes: { servedAtOnce: () => 0, candidates: () => [lane] } as unknown as RouteBoard,
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

/** Opens all there is, as suspects where they are named so; what is sent waits for its server. */
function suspectLedger(opened: string[]): Partial<Ledger> {
  return {
    async open(batch) {
      opened.push(...batch.map(({ id }) => id));
      return batch.map(({ id, groupLimit }) => openedEmail({ id, suspect: groupLimit !== undefined }));
    },
    begin: async (batch) => new Set(batch.map(({ id }) => id)),
    pauses: nothingPaused,
    endAlone: async () => {},
    release: async () => 0,
    releaseStrays: async () => 0,
  };
}

const uuid = (at: number) => `0192f0c1-7b2e-7000-8000-${String(at).padStart(12, '0')}`;
const silent = new Promise<never>(() => {});

test('two suspects have begun at a server that is silent → the next two are attempted meanwhile', async () => {
  const opened: string[] = [];
  const waiting = [0, 1, 2, 3].map((at) => ({ ...claim, id: uuid(at), groupLimit: 2 }));
  const worker = workerOn(suspectLedger(opened), () => {}, {
    claims: [],
    claimSuspects: async (limit, beside) => waiting.splice(0, Math.min(limit, 2 - beside)),
    provider: {
      async send(_email, attempt) {
        await attempt.begin?.();
        return silent;
      },
    },
  });
  await worker.start();
  await vi.waitFor(() => expect(opened).toHaveLength(4), 5000);
  await worker.stop({ deadlineMs: 0 });
}, 20_000);

test('a suspect that may only be alone finds no connection → others are opened as soon as it is prepared', async () => {
  const opened: string[] = [];
  const at: number[] = [];
  const ledger = suspectLedger(opened);
  const worker = workerOn(
    {
      ...ledger,
      async open(batch) {
        at.push(performance.now());
        return ledger.open!(batch);
      },
    },
    () => {},
    {
      claims: [[{ ...claim, id: uuid(1) }]],
      suspects: [[{ ...claim, id: uuid(0), groupLimit: 1 }]],
      provider: {
        async send(_email, attempt) {
          attempt.onWaiting?.();
          return silent;
        },
      },
    },
  );
  await worker.start();
  await vi.waitFor(() => expect(opened).toEqual([uuid(0), uuid(1)]), 10_000);
  expect(at[1]! - at[0]!).toBeLessThan(1500);
  await worker.stop({ deadlineMs: 0 });
}, 20_000);

test('a claim that a caller’s transaction has locked is passed over → it is looked for within seconds', async () => {
  const releaseStrays = vi.fn<Ledger['releaseStrays']>(async () => 1);
  const worker = workerOn(
    { open: async () => [], pauses: nothingPaused, release: async () => 0, releaseStrays },
    () => {},
  );
  await worker.start();
  await vi.waitFor(() => expect(releaseStrays).toHaveBeenCalledWith([]), 5000);
  await worker.stop();
}, 20_000);
