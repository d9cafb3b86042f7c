import type { OpenedEmail } from '../outbox/index.js';
import type { RouteMetrics } from '../providers/index.js';
import { type BusFigures, createBusFigures } from './bus-figures.js';
import { createEngineFigures, type EngineFigures } from './engine-figures.js';
import { Counter, Gauge, Histogram, Registry } from './prometheus.js';
import { type QueueFigures, setQueueFigures } from './queue-gauges.js';
import { StateFigures } from './state-figures.js';
import { talliedCounter } from './tallied-counter.js';

/** The five figures of the pipeline under Prometheus names, what the fence kept away, the routes, the queue and the doors. */
export interface PipelineMetrics extends RouteMetrics {
  readonly registry: Registry;
  transition(state: string, elapsedSeconds: number): void;
  validationFailed(type: string): void;
  retried(category: string): void;
  ended(state: string): void;
  fenced(count: number): void;
  /** From when it was to go until its provider had it. */
  delivered(seconds: number, email: DeliveredEmail): void;
  /** Results written in one statement. */
  settled(count: number): void;
  requested(request: { method: string; route: string; status: number; durationMs: number }): void;
  readonly engine: EngineFigures;
  readonly bus: BusFigures;
  /** What the store says of the queue; asked for by whoever answers a scrape. */
  readonly queue: { set(figures: QueueFigures): void; forget(): void };
}

export type DeliveredEmail = Pick<OpenedEmail, 'type' | 'sensitive' | 'dueAt'>;

const CIRCUIT_FIGURE = { closed: 0, probing: 1, open: 2 };

export function createPipelineMetrics(registry: Registry = new Registry()): PipelineMetrics {
  const registers = [registry];
  const states = new StateFigures({
    registry,
    transitions: { name: 'pipeline_state_transitions_total', help: 'Events of emails, by kind.' },
    durations: { name: 'pipeline_processing_duration_seconds', help: 'Time from the claim to each state.' },
  });
  const validations = new Counter({
    name: 'pipeline_validation_failures_total',
    help: 'Emails refused by the pipeline, by validation.',
    labelNames: ['type'],
    registers,
  });
  const retries = new Counter({
    name: 'pipeline_retry_count_total',
    help: 'Attempts that will be repeated, by category of error.',
    labelNames: ['category'],
    registers,
  });
  const finals = talliedCounter({
    name: 'pipeline_final_state_total',
    help: 'Emails that ended, by status.',
    labels: ['state'],
    registry,
  });
  const fenced = new Counter({
    name: 'pipeline_fenced_settlements_total',
    help: 'Results that changed nothing because another worker owned the email by then.',
    registers,
  });
  const circuits = new Gauge({
    name: 'route_circuit_state',
    help: 'The circuit of a route: 0 closed, 1 being probed, 2 open.',
    labelNames: ['route'],
    registers,
  });
  const attempts = talliedCounter({
    name: 'route_attempts_total',
    help: 'Emails handed to a route, by what became of them.',
    labels: ['route', 'outcome'],
    registry,
  });
  const deliveries = new Histogram({
    name: 'email_delivery_seconds',
    help: 'Time from when an email was accepted, or scheduled for, until its provider had it.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400],
    registers,
  });
  const batches = new Histogram({
    name: 'pipeline_settle_batch_size',
    help: 'Results of attempts written in one statement.',
    buckets: [1, 2, 5, 10, 25, 50, 75, 100],
    registers,
  });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Answers of the HTTP door, by method, pattern of the route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  return {
    registry,
    delivered: (seconds) => deliveries.observe(Math.max(0, seconds)),
    settled: (count) => batches.observe(count),
    requested: ({ method, route, status, durationMs }) =>
      requests.observe({ method, route, status }, durationMs / 1000),
    engine: createEngineFigures(registry),
    bus: createBusFigures(registry),
    queue: setQueueFigures(registry),
    transition: (state, elapsedSeconds) => states.observe(state, elapsedSeconds),
    validationFailed: (type) => validations.inc({ type }),
    retried: (category) => retries.inc({ category }),
    ended: (state) => finals(state),
    fenced: (count) => fenced.inc(count),
    routeCircuit: (route, state) => circuits.set({ route }, CIRCUIT_FIGURE[state]),
    routeAttempt: (route, outcome) => attempts(route, outcome),
  };
}
