import { Counter, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { StateFigures } from './state-figures.js';

const NAMES = {
  transitions: { name: 'transitions_total', help: 'Events.' },
  durations: { name: 'duration_seconds', help: 'Times.' },
};
const SEEN: Array<[string, number]> = [
  ['SENT', 0.0004],
  ['SENT', 0.001],
  ['SENT', 0.2],
  ['FAILED', 700],
  ['FAILED', 600],
];

test('the same observations → the very text prom-client writes', async () => {
  const registry = new Registry();
  const figures = new StateFigures({ registry, ...NAMES });
  const reference = new Registry();
  const labelNames = ['state'];
  const counter = new Counter({ ...NAMES.transitions, labelNames, registers: [reference] });
  const buckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600];
  const histogram = new Histogram({ ...NAMES.durations, labelNames, buckets, registers: [reference] });
  for (const [state, seconds] of SEEN) {
    figures.observe(state, seconds);
    counter.inc({ state });
    histogram.observe({ state }, seconds);
  }
  expect(await registry.metrics()).toBe(await reference.metrics());
  expect(await registry.metrics()).toBe(await reference.metrics());
});
