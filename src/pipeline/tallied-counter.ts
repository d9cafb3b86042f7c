import { Counter, type Registry } from './prometheus.js';

/**
 * A counter that every email raises, counted in plain maps: prom-client sorts and joins the labels each time. It gets
 * the figures when somebody asks for them. With one label the second is left out.
 */
export function talliedCounter(options: TalliedCounterOptions): (first: string, second?: string) => void {
  const { name, help, registry, labels } = options;
  const tallies = new Map<string, Map<string, number>>();
  new Counter({
    ...{ name, help, labelNames: [...labels], registers: [registry] },
    collect() {
      this.reset();
      for (const [first, counts] of tallies) {
        for (const [second, count] of counts) {
          this.inc(Object.fromEntries(labels.map((label, at) => [label, at === 0 ? first : second])), count);
        }
      }
    },
  });
  return (first, second = '') => {
    const counts = tallies.get(first) ?? new Map<string, number>();
    if (counts.size === 0) tallies.set(first, counts);
    counts.set(second, (counts.get(second) ?? 0) + 1);
  };
}

export interface TalliedCounterOptions {
  name: string;
  help: string;
  labels: readonly [string] | readonly [string, string];
  registry: Registry;
}
