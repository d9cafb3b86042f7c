import { describe, expect, test } from 'vitest';
import { ManualClock } from '../kernel/index.js';
import { InFlight } from './in-flight.js';

describe('in flight', () => {
  const clock = new ManualClock();
  const limited = (parts: Partial<ConstructorParameters<typeof InFlight>[0]> = {}) =>
    new InFlight({ concurrency: 4, inFlightBytes: 100, batchSize: 50, clock, ...parts });
  const items = (...bytes: number[]) => bytes.map((size, index) => ({ id: `e${index}`, bytes: size }));

  test('within both limits → all are taken, in order', () => {
    const waiting = items(1, 2, 3);
    expect(
      limited()
        .take(waiting)
        .map(({ id }) => id),
    ).toEqual(['e0', 'e1', 'e2']);
    expect(waiting).toEqual([]);
  });

  test('more than the count allows → the rest stays in front', () => {
    const waiting = items(1, 1, 1, 1, 1, 1);
    expect(limited().take(waiting)).toHaveLength(4);
    expect(waiting.map(({ id }) => id)).toEqual(['e4', 'e5']);
  });

  test('more bytes than fit → stops at the one that does not, and takes none behind it', () => {
    const waiting = items(60, 50, 1);
    expect(
      limited()
        .take(waiting)
        .map(({ id }) => id),
    ).toEqual(['e0']);
    expect(waiting.map(({ id }) => id)).toEqual(['e1', 'e2']);
  });

  test('one larger than all the room → goes alone, and only when nothing else is in flight', () => {
    const flight = limited();
    const waiting = items(1, 1000);
    const first = flight.take(waiting);
    expect(first).toHaveLength(1);
    flight.add(first);
    expect(flight.take(waiting)).toEqual([]);
    flight.remove(first[0]!);
    expect(flight.take(waiting)).toMatchObject([{ bytes: 1000 }]);
  });

  test('attempted and not yet settled → its bytes are free, also for one larger than all the room', () => {
    const flight = limited();
    const [first, second, huge] = items(90, 90, 1000);
    flight.add([first!]);
    expect(flight.take([second!])).toEqual([]);
    flight.attempted(first!);
    expect(flight.take([second!])).toEqual([second]);
    expect(flight.take([huge!])).toEqual([huge]);
    flight.remove(first!);
    flight.add([second!]);
    expect(flight.take([huge!])).toEqual([]);
  });

  test('removed → its room is free again; removed twice → counted once', () => {
    const flight = limited();
    const [a, b] = items(50, 50);
    flight.add([a!, b!]);
    flight.remove(a!);
    flight.remove(a!);
    expect(flight.count).toBe(1);
    expect(flight.ids()).toEqual(['e1']);
    expect(flight.take([{ id: 'x', bytes: 50 }])).toHaveLength(1);
  });

  test('little room while much waits → waits for a quarter of the room', () => {
    const flight = limited({ concurrency: 40 });
    flight.add(Array.from({ length: 35 }, (_, i) => ({ id: `f${i}`, bytes: 0 })));
    const waiting = Array.from({ length: 30 }, (_, i) => ({ id: `w${i}`, bytes: 0 }));
    expect(flight.take(waiting)).toEqual([]);
    for (let i = 0; i < 5; i++) flight.remove({ id: `f${i}` });
    expect(flight.take(waiting)).toHaveLength(10);
    expect(flight.take(waiting.slice(0, 3))).toHaveLength(3);
  });

  test('little room and much is done in moments → waits for half of the room', () => {
    const flight = limited({ concurrency: 40 });
    const next = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `n${i}`, bytes: 0 }));
    flight.add(next(2000));
    for (const item of next(2000)) flight.remove(item);
    clock.advance(250);
    flight.claimTarget();
    flight.add(next(22));
    expect(flight.take(next(30))).toEqual([]);
    flight.remove({ id: 'n0' });
    flight.remove({ id: 'n1' });
    expect(flight.take(next(30))).toHaveLength(20);
  });

  test('much was done in moments and then the rest gets no answer → what is free is taken all the same', () => {
    const flight = limited({ concurrency: 40 });
    const next = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `n${i}`, bytes: 0 }));
    flight.add(next(2000));
    for (const item of next(2000)) flight.remove(item);
    clock.advance(250);
    flight.claimTarget();
    flight.add(next(22));
    expect(flight.take(next(30))).toEqual([]);
    clock.advance(250);
    expect(flight.take(next(30))).toHaveLength(18);
    flight.add(next(35));
    expect(flight.take(next(30))).toEqual([]);
    expect(flight.take(next(30), { still: true })).toHaveLength(5);
  });

  test('how much to claim → the concurrency at rest, recent speed under load, never more than the batch', () => {
    const flight = limited({ concurrency: 4, batchSize: 50 });
    expect(flight.claimTarget()).toBe(4);
    for (let i = 0; i < 20; i++) {
      flight.add([{ id: `x${i}`, bytes: 0 }]);
      flight.remove({ id: `x${i}` });
    }
    expect(flight.claimTarget()).toBe(20);
    clock.advance(500);
    expect(flight.claimTarget()).toBe(10);
    clock.advance(250);
    expect(flight.claimTarget()).toBe(4);
    for (let i = 0; i < 200; i++) {
      flight.add([{ id: `y${i}`, bytes: 0 }]);
      flight.remove({ id: `y${i}` });
    }
    expect(flight.claimTarget()).toBe(50);
  });

  test('until empty → true when the last one is done, false when the time is up or the signal came', async () => {
    const flight = limited();
    expect(await flight.untilEmpty(0)).toBe(true);
    flight.add([{ id: 'a', bytes: 0 }]);
    expect(await flight.untilEmpty(0)).toBe(false);
    expect(await flight.untilEmpty(60_000, AbortSignal.abort())).toBe(false);
    const empty = flight.untilEmpty(60_000);
    flight.remove({ id: 'a' });
    expect(await empty).toBe(true);
  });
});
