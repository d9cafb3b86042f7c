import { Gauge, type Registry } from './prometheus.js';

/**
 * What waits, as gauges that are set from the store before each scrape. Every process reports the same, so a query
 * takes the maximum over them; where the store cannot be asked they are absent instead of old.
 */
export interface QueueFigures {
  depth: ReadonlyArray<{ priority: number; state: string; count: number }>;
  /** Of what could be claimed now; 0 where nothing waits. */
  oldestDueSeconds: number;
  routes: ReadonlyArray<{ name: string; waiting: number; paused: boolean }>;
  workers: number;
  /** Events of emails that wait for the bus; null where none are noted. */
  waitingForBus: number | null;
}

export function setQueueFigures(registry: Registry): { set(figures: QueueFigures): void; forget(): void } {
  const registers = [registry];
  const depth = new Gauge({
    name: 'email_queue_depth',
    help: 'Emails that still have to go, by priority and state: ready, waiting, parked or processing; an estimate where more than 5000 are in the queue.',
    labelNames: ['priority', 'state'],
    registers,
  });
  const oldest = new Gauge({
    name: 'email_queue_oldest_due_seconds',
    help: 'How long the longest waiting email that could go has been waiting.',
    registers,
  });
  const waiting = new Gauge({
    name: 'route_waiting_emails',
    help: 'Emails that wait for a route; an estimate where more than 5000 are in the queue.',
    labelNames: ['route'],
    registers,
  });
  const paused = new Gauge({
    name: 'route_paused',
    help: 'Whether a route is paused by hand.',
    labelNames: ['route'],
    registers,
  });
  const workers = new Gauge({
    name: 'workers_alive',
    help: 'Workers whose beat is fresh.',
    registers,
  });
  const bus = new Gauge({
    name: 'postrider_bus_waiting_events',
    help: 'Events of emails that wait for the broker of the event bus; absent where none are noted.',
    registers,
  });
  const forget = () => {
    for (const gauge of [oldest, workers, bus]) gauge.remove();
    for (const gauge of [depth, waiting, paused]) gauge.reset();
  };
  return {
    set(figures) {
      forget();
      for (const { priority, state, count } of figures.depth) depth.set({ priority, state }, count);
      oldest.set(figures.oldestDueSeconds);
      workers.set(figures.workers);
      if (figures.waitingForBus !== null) bus.set(figures.waitingForBus);
      for (const route of figures.routes) {
        waiting.set({ route: route.name }, route.waiting);
        paused.set({ route: route.name }, route.paused ? 1 : 0);
      }
    },
    forget,
  };
}
