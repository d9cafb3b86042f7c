import { Counter, type Registry } from './prometheus.js';

/**
 * How often each state was reached and after what time, counted in plain arrays: five times an email,
 * and prom-client sorts and joins the labels each time. It gets the figures when somebody asks for them.
 */
export class StateFigures {
  private readonly states = new Map<string, Figures>();

  constructor(options: StateFiguresOptions) {
    const { states } = this;
    new Counter({
      ...options.transitions,
      labelNames: ['state'],
      registers: [options.registry],
      collect() {
        this.reset();
        for (const [state, { count }] of states) this.inc({ state }, count);
      },
    });
    const { name, help } = options.durations;
    const histogram = {
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      get: async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: this.values(name) }),
      // Asked for by a registry that forgets everything.
      reset: () => states.clear(),
    };
    options.registry.registerMetric(histogram as unknown as Counter);
  }

  observe(state: string, seconds: number): void {
    let figures = this.states.get(state);
    if (!figures) {
      figures = { count: 0, sum: 0, buckets: BUCKETS.map(() => 0) };
      this.states.set(state, figures);
    }
    figures.count += 1;
    figures.sum += seconds;
    for (let i = 0; i < BUCKETS.length; i++) {
      if (seconds > BUCKETS[i]!) continue;
      figures.buckets[i]! += 1;
      return;
    }
  }

  private values(name: string): object[] {
    return [...this.states].flatMap(([state, { count, sum, buckets }]) => {
      let below = 0;
      const cumulative = BUCKETS.map((le, i) => {
        below += buckets[i]!;
        return { metricName: `${name}_bucket`, labels: { le, state }, value: below };
      });
      return [
        ...cumulative,
        { metricName: `${name}_bucket`, labels: { le: '+Inf', state }, value: count },
        { metricName: `${name}_sum`, labels: { state }, value: sum },
        { metricName: `${name}_count`, labels: { state }, value: count },
      ];
    });
  }
}

export interface StateFiguresOptions {
  registry: Registry;
  transitions: { name: string; help: string };
  durations: { name: string; help: string };
}

interface Figures {
  count: number;
  sum: number;
  /** Not cumulative: what was above the bucket before and not above this one. */
  buckets: number[];
}

const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600];
