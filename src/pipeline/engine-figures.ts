import { Counter, Gauge, type Registry } from './prometheus.js';

/** Whether the engine of this process can work, and the bells that went through its broker. */
export interface EngineFigures {
  engineUp(engine: string, up: boolean): void;
  bells(what: 'published' | 'consumed' | 'dropped' | 'refused', count: number): void;
  /** Over all processes, so a query takes the maximum. */
  bellsOutstanding(count: number): void;
}

export function createEngineFigures(registry: Registry): EngineFigures {
  const registers = [registry];
  const up = new Gauge({
    name: 'postrider_engine_up',
    help: 'Whether the engine of this worker reaches its broker; 1 where it needs none.',
    labelNames: ['engine'],
    registers,
  });
  const bells = new Counter({
    name: 'postrider_bells_total',
    help: 'Bells of a broker: published, consumed by a claim, dropped because they matched nothing, or refused because they name no email.',
    labelNames: ['what'],
    registers,
  });
  const outstanding = new Gauge({
    name: 'postrider_bells_outstanding',
    help: 'Bells that are out and not claimed yet.',
    registers,
  });
  return {
    engineUp: (engine, isUp) => up.set({ engine }, isUp ? 1 : 0),
    bells: (what, count) => {
      if (count > 0) bells.inc({ what }, count);
    },
    bellsOutstanding: (count) => outstanding.set(count),
  };
}
