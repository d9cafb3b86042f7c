import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ManualClock } from '../kernel/index.js';
import type { Opened } from './slot-holder.js';
import { SlotShares } from './slot-shares.js';

const CONCURRENCY = 96;
/** After so long an attempt only waits for its server. */
const SLOT_MS = 250;

let clock: ManualClock;
let connections: Record<string, number>;
beforeEach(() => {
  clock = new ManualClock();
  connections = {};
});

function shares(): SlotShares {
  return new SlotShares({
    concurrency: CONCURRENCY,
    contentBytes: 1_000_000,
    clock,
    connections: (route) => connections[route] ?? Number.POSITIVE_INFINITY,
  });
}

/** Opens all it may, and gives what it opened. */
function fill(of: SlotShares, route: string, tenant?: string, bytes = 0): Opened[] {
  const opened: Opened[] = [];
  while (opened.length < 1000 && of.mayOpen({ route, tenant }, false)) {
    opened.push(of.open({ route, tenant, bytes }));
  }
  return opened;
}

describe('shares of slots', () => {
  test('six routes that never answer, one after the other → there is always room for the next', () => {
    const of = shares();
    const held = ['a', 'b', 'c', 'd', 'e', 'f'].map((route) => fill(of, route).length);
    expect(held.every((count) => count > 0)).toBe(true);
    expect(fill(of, 'healthy').length).toBeGreaterThan(0);
    clock.advance(SLOT_MS);
    expect(fill(of, 'another').length).toBeGreaterThan(CONCURRENCY / 4);
  });

  test('a route that answers quickly and nobody else → all the slots', () => {
    const of = shares();
    for (let round = 0; round < 3; round++) for (const one of fill(of, 'a')) of.close(one);
    expect(fill(of, 'a')).toHaveLength(CONCURRENCY);
  });

  test('a quick route goes silent with all the slots → they are free after a quarter of a second', () => {
    const of = shares();
    for (let round = 0; round < 3; round++) for (const one of fill(of, 'a')) of.close(one);
    fill(of, 'a');
    expect(fill(of, 'healthy')).toEqual([]);
    clock.advance(SLOT_MS);
    expect(fill(of, 'healthy').length).toBeGreaterThan(CONCURRENCY / 4);
    clock.advance(2 * SLOT_MS);
    // However long it goes on, what waits for its server is bounded.
    for (let round = 0; round < 50; round++) {
      fill(of, 'a');
      clock.advance(SLOT_MS);
    }
    expect(of.waitingForServers().count).toBeLessThanOrEqual(4 * CONCURRENCY);
    expect(fill(of, 'healthy').length).toBeGreaterThan(0);
  });

  test('a provider with twenty connections that is slow → nothing waits for one of them', () => {
    connections = { a: 20 };
    const of = shares();
    expect(of.room('a', 600)).toBe(20);
    expect(fill(of, 'a')).toHaveLength(20);
    clock.advance(SLOT_MS);
    expect(fill(of, 'a')).toEqual([]);
    // Some are claimed ahead.
    expect(of.room('a', 600)).toBe(CONCURRENCY / 4);
    expect(of.mayOpen({ route: 'a', tenant: 'b' }, true)).toBe(false);
  });

  test('a suspect where four fifths of the connections are busy → leaves the last to others', () => {
    connections = { a: 20 };
    const of = shares();
    for (let count = 0; count < 16; count++) of.open({ route: 'a', bytes: 0 });
    expect(of.mayOpen({ route: 'a' }, true)).toBe(false);
    expect(of.mayOpen({ route: 'a' }, false)).toBe(true);
  });

  test('claimed and not opened → counts as what may be claimed', () => {
    connections = { a: 20 };
    const of = shares();
    for (let count = 0; count < 15; count++) of.claimed({ route: 'a' });
    expect(of.room('a', 600)).toBe(20 + CONCURRENCY / 4 - 15);
  });

  test('claimed of a tenant that may open nothing more → does not keep those of another from being claimed', () => {
    const of = shares();
    for (let round = 0; round < 20; round++) {
      fill(of, 'a', 'loud');
      clock.advance(SLOT_MS);
    }
    for (let count = 0; count < 100; count++) of.claimed({ route: 'a' });
    expect(of.room('a', 600)).toBe(0);
    of.lookAgain();
    for (let count = 0; count < 100; count++) of.mayOpen({ route: 'a', tenant: 'loud' }, false);
    expect(of.room('a', 600)).toBeGreaterThan(0);
  });

  test('one tenant fills its share of a route → another of the same route goes, and it is named as full', () => {
    const of = shares();
    for (let round = 0; round < 20; round++) {
      fill(of, 'a', 'loud');
      clock.advance(SLOT_MS);
    }
    expect(of.waitingForServers().count).toBe((CONCURRENCY * 7) / 8);
    of.lookAgain();
    expect(of.fullTenants('a')).toEqual([]);
    of.mayOpen({ route: 'a', tenant: 'loud' }, false);
    expect(of.fullTenants('a')).toEqual(['loud']);
    expect(fill(of, 'a', 'quiet')).not.toEqual([]);
    expect(fill(of, 'a', 'third')).not.toEqual([]);
  });

  test('a route was given less than it asked for → called when one of its attempts ends', () => {
    connections = { a: 1 };
    const of = shares();
    const wake = vi.fn();
    of.onRoom(wake);
    const [opened] = fill(of, 'a');
    for (let count = 0; count < CONCURRENCY / 4; count++) of.claimed({ route: 'a' });
    expect(of.room('a', 10)).toBe(0);
    of.close(opened!);
    expect(wake).toHaveBeenCalledTimes(1);
    of.close(opened!);
    expect(of.room('a', 10)).toBeGreaterThan(0);
  });

  test('megabytes that wait for one server → others still find room for theirs', () => {
    const of = shares();
    for (let round = 0; round < 50; round++) {
      fill(of, 'a', 'a', 500_000);
      clock.advance(SLOT_MS);
    }
    const { bytes } = of.waitingForServers();
    expect(bytes).toBeLessThan(40_000_000);
    expect(of.mayOpen({ route: 'b', tenant: 'b' }, false)).toBe(true);
  });

  test('a domain at which many wait, and others are there → its next ones come later, each behind the other', () => {
    const of = shares();
    const at = (to: string, tenant = 't') =>
      of.enterDomain(of.open({ route: 'a', bytes: 0 }), { route: 'a', tenant, to });
    expect(at('one@quick.example')).toBeNull();
    for (let count = 0; count < CONCURRENCY / 2; count++) expect(at('x@Silent.example')).toBeNull();
    clock.advance(SLOT_MS);
    expect(at('y@quick.example')).toBeNull();
    const waits = [at('x@silent.example'), at('x@silent.EXAMPLE')];
    expect(waits[0]).toBeGreaterThanOrEqual(SLOT_MS);
    expect(waits[1]).toBeGreaterThan(waits[0]!);
    expect(at('y@quick.example')).toBeNull();
    // Another tenant has none of them, and its emails may well be answered.
    expect(at('x@silent.example', 'other')).toBeNull();
  });

  test('a slow domain and no other → a quarter of the route is left to the next', () => {
    const of = shares();
    let entered = 0;
    for (let count = 0; count < CONCURRENCY; count++) {
      const opened = of.open({ route: 'a', tenant: 't', bytes: 0 });
      if (of.enterDomain(opened, { route: 'a', tenant: 't', to: 'x@only.example' }) === null) entered++;
      else of.close(opened);
      clock.advance(10);
    }
    expect(entered).toBe(CONCURRENCY * 0.75);
    expect(of.mayOpen({ route: 'a', tenant: 't' }, false)).toBe(true);
    const next = of.open({ route: 'a', tenant: 't', bytes: 0 });
    expect(of.enterDomain(next, { route: 'a', tenant: 't', to: 'y@other.example' })).toBeNull();
  });
});
