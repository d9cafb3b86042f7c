import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../kernel/index.js';
import { RouteConcurrency } from './route-concurrency.js';

let clock: ManualClock;
let on: { room: ReturnType<typeof vi.fn<() => void>>; ramped: ReturnType<typeof vi.fn<() => void>> };
let slots: RouteConcurrency;
const never = new AbortController().signal;
const patiently = { maxWaitMs: 60_000, signal: never };
beforeEach(() => {
  clock = new ManualClock();
  on = { room: vi.fn<() => void>(), ramped: vi.fn<() => void>() };
  slots = new RouteConcurrency(8, clock, on);
});

async function enter(times: number): Promise<void> {
  for (let i = 0; i < times; i++) expect(await slots.enter(patiently)).toBe(true);
}

it('how many would enter at once → what the limit leaves, none while others wait', async () => {
  expect(slots.free).toBe(8);
  await enter(3);
  expect(slots.free).toBe(5);
  await enter(5);
  void slots.enter(patiently);
  expect(slots.free).toBe(0);
  slots.leave();
  slots.leave();
  expect(slots.free).toBe(1);
});

describe('turns', () => {
  it('more than the limit → the others wait, and go in order as places come free', async () => {
    await enter(8);
    const order: number[] = [];
    const waiting = [1, 2].map((n) => slots.enter(patiently).then(() => order.push(n)));
    await Promise.resolve();
    expect(order).toEqual([]);
    slots.leave();
    slots.leave();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2]);
  });

  it('waited too long, or the process stops → refused, and the place goes to another', async () => {
    await enter(8);
    const stop = new AbortController();
    const stopped = slots.enter({ maxWaitMs: 60_000, signal: stop.signal });
    const late = slots.enter({ maxWaitMs: 1, signal: never });
    stop.abort();
    expect(await stopped).toBe(false);
    expect(await late).toBe(false);
    const next = slots.enter(patiently);
    slots.leave();
    expect(await next).toBe(true);
  });
});

describe('crowded', () => {
  it('many such answers at once → the limit halves once', () => {
    for (let i = 0; i < 5; i++) slots.crowded();
    expect(slots.limit).toBe(4);
    clock.advance(1000);
    slots.crowded();
    expect(slots.limit).toBe(2);
  });

  it('again and again → never below one', () => {
    for (let i = 0; i < 10; i++) {
      slots.crowded();
      clock.advance(1000);
    }
    expect(slots.limit).toBe(1);
  });

  it('then successes → grows back by one for each round of them, to normal and no further', () => {
    slots.crowded();
    for (let i = 0; i < 5; i++) slots.succeeded();
    expect(slots.limit).toBe(5);
    for (let i = 0; i < 100; i++) slots.succeeded();
    expect(slots.limit).toBe(8);
  });
});

describe('ramp', () => {
  it('after an outage → 1, then twice as many with each success, then normal', () => {
    slots.ramp();
    const limits = [slots.limit];
    for (let i = 0; i < 3; i++) {
      expect(on.ramped).not.toHaveBeenCalled();
      slots.succeeded();
      limits.push(slots.limit);
    }
    expect(limits).toEqual([1, 2, 4, 8]);
    expect(on.ramped).toHaveBeenCalledTimes(1);
  });

  it('a normal of one → back to normal at once', () => {
    const one = new RouteConcurrency(1, clock, on);
    one.ramp();
    expect(on.ramped).toHaveBeenCalledTimes(1);
  });
});

describe('room for claims', () => {
  it('normal and not bounded → as many as the worker wants', () => {
    expect(slots.room(false)).toBe(Number.POSITIVE_INFINITY);
  });

  it('bounded → what is free less what was claimed and has not come yet', async () => {
    await enter(3);
    slots.expect(4);
    expect(slots.room(true)).toBe(1);
    await enter(1);
    expect(slots.room(true)).toBe(1);
  });

  it('claimed but never came → forgotten after a while', () => {
    slots.expect(8);
    expect(slots.room(true)).toBe(0);
    clock.advance(2001);
    expect(slots.room(true)).toBe(8);
  });
});
