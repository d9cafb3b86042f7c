import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ManualClock, silentLogger } from '../../../kernel/index.js';
import type { Database, Statement } from '../../../store/index.js';
import { createPostgresEngine } from './postgres-engine.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** On a store where something is ready or not; claims find nothing. */
async function engineOn({ ready = false } = {}) {
  const asked: string[] = [];
  const store = { ready };
  const query = async ({ name }: Statement & { name: string }) => {
    asked.push(name);
    if (name === 'outbox_any_ready') return { rows: [{ ready: store.ready }] };
    if (name === 'outbox_claim_suspects') return { rows: [{ id: null, ready: store.ready }] };
    return { rows: [] };
  };
  const clock = new ManualClock();
  let wakes = 0;
  const engine = createPostgresEngine({
    database: { query } as unknown as Database,
    worker: () => 1,
    routes: { names: async () => ['default'], room: async (_, limit) => limit, took() {}, onRoom() {} },
    pollIntervalMs: 3_600_000,
    pauses: async () => ({ all: false, events: false, tenants: [], types: new Set(), routes: new Set() }),
    ...{ clock, logger: silentLogger },
  });
  engine.onWork(() => {
    wakes += 1;
  });
  await engine.start();
  return { engine, store, clock, asked, wakes: () => wakes };
}

test('another worker was woken for an email → one look five milliseconds later, and a claim only if it is left', async () => {
  const { engine, store, asked, wakes } = await engineOn();
  engine.ringLater();
  engine.ringLater();
  await vi.advanceTimersByTimeAsync(4);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect([asked, wakes()]).toEqual([['outbox_any_ready'], 0]);
  store.ready = true;
  engine.ringLater();
  await vi.advanceTimersByTimeAsync(5);
  expect(wakes()).toBe(1);
  await engine.stop();
});

test('nobody has claimed what is ready → whoever looks for suspects claims it; what it may not claim is not tried for two seconds', async () => {
  const { engine, clock, wakes } = await engineOn({ ready: true });
  expect(await engine.claimSuspects(10)).toEqual([]);
  expect(wakes()).toBe(1);
  // It belongs to a tenant that is paused.
  expect(await engine.claim(10)).toEqual([]);
  await engine.claimSuspects(10);
  expect(wakes()).toBe(1);
  clock.advance(2000);
  await engine.claimSuspects(10);
  expect(wakes()).toBe(2);
  await engine.stop();
});

test('stopping → busy, and what is ready is left to others', async () => {
  const { engine, wakes } = await engineOn({ ready: true });
  expect(engine.isBusy()).toBe(false);
  engine.ringLater();
  await engine.quiesce();
  await vi.advanceTimersByTimeAsync(1000);
  await engine.claimSuspects(10);
  expect([engine.isBusy(), wakes()]).toEqual([true, 0]);
});
