import { beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../kernel/index.js';
import { RateLease, type RateStore } from './rate-lease.js';

let clock: ManualClock;
let asked: number[];
let left: number;
const store: RateStore = {
  async take(_bucket, want) {
    asked.push(want);
    const granted = Math.min(want, left);
    left -= granted;
    return granted;
  },
};
const lease = (ratePerSecond: number) =>
  new RateLease({ route: 'a', domain: '', ratePerSecond }, store, clock);
beforeEach(() => {
  clock = new ManualClock();
  asked = [];
  left = 1000;
});

it('many at once → one question for a quarter of a second, not one per email', async () => {
  const subject = lease(40);
  const taken = await Promise.all(Array.from({ length: 30 }, () => subject.take()));
  expect(taken.filter(Boolean)).toHaveLength(10);
  expect(asked).toEqual([10]);
});

it('asked again too soon → not asked; a tenth of a second later → asked', async () => {
  left = 0;
  const subject = lease(40);
  expect(await subject.take()).toBe(false);
  expect(await subject.take()).toBe(false);
  expect(asked).toHaveLength(1);
  left = 5;
  clock.advance(100);
  expect(await subject.take()).toBe(true);
});

it('less than one a second → one token at a time', async () => {
  const subject = lease(0.5);
  expect(await subject.take()).toBe(true);
  expect(asked).toEqual([1]);
  expect(subject.againMs()).toBe(1000);
});

it('claimed with tokens → those emails find theirs, others do not', async () => {
  const subject = lease(16);
  expect(await subject.room(100)).toBe(4);
  subject.reserve(3);
  expect(await subject.room(100)).toBe(1);
  left = 0;
  const taken = [];
  for (let i = 0; i < 5; i++) taken.push(await subject.take());
  expect(taken).toEqual([true, true, true, true, false]);
});

it('not used within a second → lost, not saved up', async () => {
  const subject = lease(16);
  await subject.room(100);
  left = 0;
  clock.advance(1000);
  expect(await subject.take()).toBe(false);
});

it('no token → each email a place further back', () => {
  const subject = lease(10);
  expect([subject.slotMs(), subject.slotMs(), subject.slotMs()]).toEqual([100, 200, 300]);
  clock.advance(250);
  expect(subject.slotMs()).toBe(150);
});

it('the store is away → the question fails, and the next is asked anew', async () => {
  let away = true;
  const flaky: RateStore = {
    take: async () => {
      if (away) throw new Error('away');
      return 1;
    },
  };
  const subject = new RateLease({ route: 'a', domain: '', ratePerSecond: 4 }, flaky, clock);
  await expect(subject.take()).rejects.toThrow('away');
  away = false;
  clock.advance(100);
  expect(await subject.take()).toBe(true);
});
