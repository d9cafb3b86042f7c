import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '../kernel/index.js';
import { RouteCircuit, type SharedCircuit, type Transition } from './route-circuit.js';

const CLOSED: SharedCircuit = {
  state: 'closed',
  version: 7,
  remainingMs: 0,
  ageMs: 3_600_000,
  openings: 0,
  reason: null,
};

let clock: ManualClock;
let recovered: ReturnType<typeof vi.fn<() => void>>;
let circuit: RouteCircuit;
beforeEach(() => {
  clock = new ManualClock();
  recovered = vi.fn<() => void>();
  circuit = new RouteCircuit(clock, recovered);
  circuit.observe(CLOSED);
});

/** The store takes it. */
function write({ to, from, forMs, openings, reason }: Transition): void {
  circuit.written({ state: to, version: from + 1, remainingMs: forMs, ageMs: 0, openings, reason });
}

function fail(times: number): Transition | null {
  let last: Transition | null = null;
  for (let i = 0; i < times; i++) last = circuit.report('bad', 'ECONNREFUSED');
  return last;
}

/** This process gets the probe. */
function takeProbe(): void {
  const { version } = circuit.seen;
  circuit.observe({
    ...CLOSED,
    state: 'probing',
    version: version + 1,
    remainingMs: 60_000,
    ageMs: 0,
    openings: 1,
  });
}

describe('closed', () => {
  it('five failures in a row → open for ten seconds, decided on the version that was read', () => {
    expect(fail(4)).toBeNull();
    expect(circuit.admission()).toEqual({ kind: 'free' });
    expect(fail(1)).toEqual({ from: 7, to: 'open', forMs: 10_000, openings: 1, reason: 'ECONNREFUSED' });
    expect(circuit.admission()).toEqual({ kind: 'wait', ms: 10_000 });
  });

  it('a success between them → the count begins again', () => {
    for (let round = 0; round < 3; round++) {
      // Each by itself: after the one that opens it, the next has nothing to write either.
      for (let n = 0; n < 4; n++) expect(circuit.report('bad', 'ECONNREFUSED')).toBeNull();
      circuit.report('good');
    }
    expect(circuit.admission()).toEqual({ kind: 'free' });
    expect(circuit.seen).toMatchObject({ state: 'closed', version: 7 });
  });

  it('something neutral between them → the count goes on', () => {
    fail(4);
    circuit.report('neutral');
    expect(fail(1)).not.toBeNull();
  });

  it('five failures over more than half a minute → stays closed', () => {
    for (let i = 0; i < 8; i++) {
      expect(fail(1)).toBeNull();
      clock.advance(8000);
    }
  });

  it('failures that come in after it opened → change nothing', () => {
    write(fail(5)!);
    expect(fail(10)).toBeNull();
  });
});

describe('open', () => {
  beforeEach(() => write(fail(5)!));

  it('its time over → one probe may be asked for', () => {
    clock.advance(9999);
    expect(circuit.admission()).toEqual({ kind: 'wait', ms: 1 });
    clock.advance(1);
    expect(circuit.admission()).toEqual({ kind: 'probe' });
  });

  it('another process probes → waits; its probe is lost → one may be asked for', () => {
    clock.advance(10_000);
    takeProbe();
    expect(circuit.admission()).toEqual({ kind: 'wait', ms: 1000 });
    clock.advance(60_000);
    expect(circuit.admission()).toEqual({ kind: 'probe' });
  });

  it('probe failed → open again, for twice as long', () => {
    takeProbe();
    expect(circuit.reportProbe('bad', 'ETIMEDOUT')).toEqual({
      from: 9,
      to: 'open',
      forMs: 20_000,
      openings: 2,
      reason: 'ETIMEDOUT',
    });
  });

  it('openings grow → 10, 20, 40, 80, 160, 300, 300 seconds', () => {
    const lengths = [0, 1, 2, 3, 4, 5, 6].map((openings) => {
      const one = new RouteCircuit(clock, () => {});
      one.observe({ ...CLOSED, state: 'probing', openings, remainingMs: 60_000 });
      return one.reportProbe('bad').forMs / 1000;
    });
    expect(lengths).toEqual([10, 20, 40, 80, 160, 300, 300]);
  });

  it('probe succeeded → closed, and told to begin small', () => {
    takeProbe();
    const transition = circuit.reportProbe('good');
    expect(transition).toMatchObject({ to: 'closed', from: 9 });
    expect(circuit.admission()).toEqual({ kind: 'free' });
    expect(recovered).toHaveBeenCalledTimes(1);
    write(transition);
    expect(recovered).toHaveBeenCalledTimes(1);
  });

  it('probe said nothing about the route → the next may be made at once', () => {
    takeProbe();
    write(circuit.reportProbe('neutral'));
    expect(circuit.admission()).toEqual({ kind: 'probe' });
  });

  it('closed by another process → begins small here too', () => {
    circuit.observe({ ...CLOSED, version: 10 });
    expect(circuit.admission()).toEqual({ kind: 'free' });
    expect(recovered).toHaveBeenCalledTimes(1);
  });
});

describe('after an outage', () => {
  beforeEach(() => {
    write(fail(5)!);
    takeProbe();
    write(circuit.reportProbe('good'));
  });

  it('one failure while it begins small → open again, for longer', () => {
    expect(fail(1)).toMatchObject({ to: 'open', openings: 2, forMs: 20_000 });
  });

  it('back to normal → single failures are forgiven again', () => {
    circuit.ramped();
    expect(fail(4)).toBeNull();
    expect(fail(1)).toMatchObject({ openings: 2 });
  });

  it('a long good time → the next opening is short again', () => {
    circuit.ramped();
    clock.advance(300_000);
    expect(fail(5)).toMatchObject({ openings: 1, forMs: 10_000 });
  });
});

describe('what the store says', () => {
  it('a read that began before our transition → does not undo it', () => {
    const transition = fail(5)!;
    circuit.observe(CLOSED);
    expect(circuit.admission()).toMatchObject({ kind: 'wait' });
    write(transition);
    circuit.observe(CLOSED);
    expect(circuit.admission()).toMatchObject({ kind: 'wait' });
  });

  it('somebody was faster → what they wrote holds', () => {
    fail(5);
    circuit.written({ ...CLOSED, state: 'open', version: 8, remainingMs: 4000, openings: 1 });
    expect(circuit.admission()).toEqual({ kind: 'wait', ms: 4000 });
  });

  it('it could not be written → the next read holds', () => {
    fail(5);
    circuit.unwritten();
    circuit.observe(CLOSED);
    expect(circuit.admission()).toEqual({ kind: 'free' });
  });
});

it('held for a spent quota → waits that long, and a shorter hold changes nothing', () => {
  const held = circuit.hold(600_000, 'SES_DAILY_QUOTA_EXCEEDED')!;
  expect(held).toMatchObject({ to: 'open', forMs: 600_000, openings: 0 });
  write(held);
  expect(circuit.admission()).toEqual({ kind: 'wait', ms: 600_000 });
  expect(circuit.hold(1000, 'again')).toBeNull();
});
