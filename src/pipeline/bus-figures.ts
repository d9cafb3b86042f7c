import { Counter, Gauge, type Registry } from './prometheus.js';

/** What became of events on the bus, in this process, and whether it has its part in the bus. */
export interface BusFigures {
  outcome(what: string): void;
  /** Null where it has no part in one. */
  up(isUp: boolean | null): void;
}

export function createBusFigures(registry: Registry): BusFigures {
  const registers = [registry];
  const events = new Counter({
    name: 'postrider_bus_events_total',
    help: 'Events of the bus: published, handled, retried, requeued or delayed because they came too early, dead_lettered, or move_failed.',
    labelNames: ['what'],
    registers,
  });
  const up = new Gauge({
    name: 'postrider_bus_up',
    help: 'Whether this process is connected to the event bus, consumes, and can move events to its queues; absent where it has no part in one.',
    registers,
  });
  up.remove();
  return {
    outcome: (what) => events.inc({ what }),
    up(isUp) {
      if (isUp === null) up.remove();
      else up.set(isUp ? 1 : 0);
    },
  };
}
