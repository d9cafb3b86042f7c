import { beforeEach, expect, it } from 'vitest';
import { ManualClock, silentLogger } from '../kernel/index.js';
import { createRouteTable } from './choose-route.js';
import type { Provider } from './provider.js';
import type { Route } from './route.js';
import { createRouteBoard, type RouteBoard } from './route-board.js';
import type { SharedCircuit } from './route-circuit.js';

/** How many emails of a route may be claimed, by what its provider, its circuit and its rate say. */
const CLOSED: SharedCircuit = {
  state: 'closed',
  version: 1,
  remainingMs: 0,
  ageMs: 0,
  openings: 0,
  reason: null,
};

let clock: ManualClock;
let shared: Map<string, SharedCircuit>;
let reads: number;
let asked: number[];
const none = new Set<string>();
beforeEach(() => {
  clock = new ManualClock();
  shared = new Map();
  reads = 0;
  asked = [];
});

async function open(
  ...routes: Array<Partial<Route> & { name: string; quota?: object | Error; is?: Partial<Provider> }>
): Promise<RouteBoard> {
  const board = createRouteBoard({
    table: createRouteTable(
      routes.map(({ quota, is, ...route }) => ({ ...route, provider: { ...providerWith(quota), ...is } })),
    ),
    circuits: {
      async read() {
        reads += 1;
        return shared;
      },
      async change(name, { from, to, forMs, openings, reason }) {
        const next = { state: to, version: from + 1, remainingMs: forMs, ageMs: 0, openings, reason };
        shared.set(name, next);
        return next;
      },
      takeProbe: async (name) => ({ granted: false, circuit: shared.get(name)! }),
    },
    rates: {
      async take({ ratePerSecond }, want) {
        asked.push(ratePerSecond);
        return want;
      },
    },
    concurrency: 40,
    clock,
    random: () => 0,
    logger: silentLogger,
    metrics: { routeCircuit() {}, routeAttempt() {} },
  });
  for (const { name } of routes) shared.set(name, CLOSED);
  await board.start();
  return board;
}

function providerWith(quota: object | Error | undefined): Provider {
  const sendQuota = async () => {
    if (quota instanceof Error) throw quota;
    return quota;
  };
  return { name: 'scripted', ...(quota ? { sendQuota } : {}) } as unknown as Provider;
}

it('no limits → as many as asked for, and circuits are read a few times a second', async () => {
  const board = await open({ name: 'a' });
  for (let i = 0; i < 50; i++) expect(await board.room('a', 300, none)).toBe(300);
  expect(reads).toBe(2);
  clock.advance(251);
  await board.room('a', 300, none);
  expect(reads).toBe(3);
  await board.stop();
});

it("the provider's own rate → kept to; a configured one → wins", async () => {
  const quota = { perSecond: 16, perDay: null, sentLastDay: 0 };
  const board = await open({ name: 'a', quota }, { name: 'b', ratePerSecond: 4, quota });
  expect(await board.room('a', 300, none)).toBe(4);
  expect(await board.room('b', 300, none)).toBe(1);
  expect(asked).toEqual([16, 4]);
  await board.stop();
});

it("the day's quota is spent → nothing is claimed, and every process knows", async () => {
  const board = await open({ name: 'a', quota: { perSecond: 14, perDay: 100, sentLastDay: 100 } });
  expect(await board.room('a', 300, none)).toBe(0);
  expect(shared.get('a')).toMatchObject({ state: 'open', reason: 'DAILY_QUOTA_SPENT' });
  await board.stop();
});

it('a quota that cannot be read → goes on without', async () => {
  const board = await open({ name: 'a', quota: new Error('away') });
  expect(await board.room('a', 300, none)).toBe(300);
  await board.stop();
});

it('circuit open or paused → the room of another that serves the same; none → 0', async () => {
  const board = await open({ name: 'a' }, { name: 'b', ratePerSecond: 8 });
  shared.set('a', { ...CLOSED, state: 'open', version: 2, remainingMs: 9000 });
  clock.advance(251);
  expect(await board.room('a', 300, none)).toBe(2);
  expect(await board.room('a', 300, new Set(['b']))).toBe(0);
  expect(await board.room('b', 300, new Set(['b']))).toBe(0);
  await board.stop();
});

it('due for a probe → one email, not one per claim', async () => {
  const board = await open({ name: 'a' });
  shared.set('a', { ...CLOSED, state: 'open', version: 2 });
  clock.advance(251);
  expect(await board.room('a', 300, none)).toBe(1);
  board.took('a', 1);
  expect(await board.room('a', 300, none)).toBe(0);
  await board.stop();
});

it.each<[string, Partial<Provider>, number]>([
  ['that says so', { callsBegin: true, servedAtOnce: 7 }, 7],
  ['that has more connections than the worker has slots', { callsBegin: true, servedAtOnce: 500 }, 40],
  ['that does not say', { callsBegin: true }, 0],
  ['whose attempts begin when they are handed over', {}, 40],
])('how many have a connection at once, of a provider %s → %o: %i', async (_what, is, count) => {
  const board = await open({ name: 'a', is });
  expect(board.servedAtOnce('a')).toBe(count);
  await board.stop();
});

it('a circuit that is open, a rate, a rate of a domain → nothing is said to have a connection at once', async () => {
  const is = { callsBegin: true, servedAtOnce: 7 };
  const board = await open(
    { name: 'a', is },
    { name: 'b', is, ratePerSecond: 100 },
    { name: 'c', is, domainRates: { 'example.net': 100 } },
  );
  shared.set('a', { ...CLOSED, state: 'open', version: 2, remainingMs: 9000 });
  clock.advance(251);
  await board.room('a', 1, none);
  for (const name of ['a', 'b', 'c']) expect([name, board.servedAtOnce(name)]).toEqual([name, 0]);
  await board.stop();
});
