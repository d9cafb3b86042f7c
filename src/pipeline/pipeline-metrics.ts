import { Counter, Gauge, Registry } from 'prom-client';
import type { RouteMetrics } from '../providers/index.js';
import { StateFigures } from './state-figures.js';

/** The five figures of the pipeline under Prometheus names, what the fence kept away, and the routes. */
export interface PipelineMetrics extends RouteMetrics {
  readonly registry: Registry;
  transition(state: string, elapsedSeconds: number): void;
  validationFailed(type: string): void;
  retried(category: string): void;
  ended(state: string): void;
  fenced(count: number): void;
}

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
  const finals = new Counter({
    name: 'pipeline_final_state_total',
    help: 'Emails that ended, by status.',
    labelNames: ['state'],
    registers,
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
  const attempts = new Counter({
    name: 'route_attempts_total',
    help: 'Emails handed to a route, by what became of them.',
    labelNames: ['route', 'outcome'],
    registers,
  });
  return {
    registry,
    transition: (state, elapsedSeconds) => states.observe(state, elapsedSeconds),
    validationFailed: (type) => validations.inc({ type }),
    retried: (category) => retries.inc({ category }),
    ended: (state) => finals.inc({ state }),
    fenced: (count) => fenced.inc(count),
    routeCircuit: (route, state) => circuits.set({ route }, CIRCUIT_FIGURE[state]),
    routeAttempt: (route, outcome) => attempts.inc({ route, outcome }),
  };
}
