import { Counter, type Registry } from './prometheus.js';

/** What became of events on the bus, in this process. */
export function createBusFigures(registry: Registry): (outcome: string) => void {
  const events = new Counter({
    name: 'postrider_bus_events_total',
    help: 'Events of the bus: published, handled, retried, requeued because they came too early, or dead_lettered.',
    labelNames: ['what'],
    registers: [registry],
  });
  return (outcome) => events.inc({ what: outcome });
}
