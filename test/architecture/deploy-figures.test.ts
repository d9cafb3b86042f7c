import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createPipelineMetrics } from '../../src/pipeline/index.js';

/** What the dashboard and the alerts ask for is what the process has to tell, by name and by label. */
const dashboard = JSON.parse(readFileSync('deploy/grafana/postrider.json', 'utf8')) as {
  panels: Array<{ id: number; title: string; targets: Array<{ expr: string }> }>;
};
const alerts = readFileSync('deploy/prometheus/alerts.yml', 'utf8');
const asked = [
  ...dashboard.panels.flatMap((panel) => panel.targets.map((target) => target.expr)),
  // An expression ends where its sibling keys go on.
  ...[...alerts.matchAll(/expr: ([\s\S]*?)\n {8}(?=\w)/g)].map(([, expr]) => expr!),
];
const FIGURE = /\b((?:email|pipeline|route|http|workers)_[a-z_]+)\b/g;

async function told(): Promise<Set<string>> {
  const { registry } = createPipelineMetrics();
  const names = registry.getMetricsAsArray().map(({ name }) => name);
  const suffixed = names.flatMap((name) => ['_bucket', '_sum', '_count'].map((end) => name + end));
  return new Set([...names, ...suffixed]);
}

test('every figure a panel or an alert names → exists', async () => {
  const known = await told();
  const named = [...new Set(asked.flatMap((expr) => [...expr.matchAll(FIGURE)].map(([, name]) => name!)))];
  expect(named.length).toBeGreaterThan(12);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

test('every figure there is → stands on the dashboard', async () => {
  const shown = dashboard.panels.flatMap((panel) => panel.targets.map((target) => target.expr)).join('\n');
  const { registry } = createPipelineMetrics();
  const missing = registry.getMetricsAsArray().filter(({ name }) => !shown.includes(name));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test('every alert → has an expression, a severity and a summary; every panel its own id', () => {
  const rules = alerts.split('- alert: ').slice(1);
  expect(rules.length).toBeGreaterThan(5);
  for (const rule of rules) expect(rule).toMatch(/expr: [\s\S]*severity: (?:page|ticket)[\s\S]*summary: /);
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
});
