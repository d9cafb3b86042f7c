import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createPipelineMetrics } from '../../src/pipeline/index.js';

/** What the dashboard and the alerts ask for is what the process has to tell, by name and by label. */
const dashboard = JSON.parse(readFileSync('deploy/grafana/postrider.json', 'utf8')) as {
  panels: Array<{
    id: number;
    title: string;
    gridPos: { x: number; y: number; w: number; h: number };
    datasource: { uid: string };
    targets: Array<{ expr: string; refId: string }>;
  }>;
};
const alerts = readFileSync('deploy/prometheus/alerts.yml', 'utf8');
const asked = [
  ...dashboard.panels.flatMap((panel) => panel.targets.map((target) => target.expr)),
  // An expression ends where its sibling keys go on.
  ...[...alerts.matchAll(/expr: ([\s\S]*?)\n {8}(?=\w)/g)].map(([, expr]) => expr!),
];
const FIGURE = /\b((?:email|pipeline|route|http|workers|postrider)_[a-z_]+)\b/g;

interface Figured {
  labelNames?: string[];
  get(): Promise<{ values: Array<{ labels: object }> }>;
}

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

test('every label an expression asks for → one that its figures have', async () => {
  const metrics = createPipelineMetrics();
  metrics.transition('SENT', 1); // one of our own making shows its labels only with a value
  const labels = new Map<string, string[]>();
  for (const metric of metrics.registry.getMetricsAsArray()) {
    const { labelNames = [], get } = metric as unknown as Figured;
    const { values } = await get.call(metric);
    labels.set(metric.name, [...labelNames, ...values.flatMap((value) => Object.keys(value.labels))]);
  }
  const labelsOf = (name: string) =>
    labels.get(name) ?? labels.get(name.replace(/_(?:bucket|sum|count)$/, ''));
  let looked = 0;
  for (const expr of asked) {
    const had = new Set([...expr.matchAll(FIGURE)].flatMap(([, name]) => labelsOf(name!) ?? []));
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names]) => names!.split(/,\s*/));
    // Prometheus adds the process it asked.
    for (const name of grouped) expect([...had, 'le', 'instance'], expr).toContain(name);
    for (const [, name, inside] of expr.matchAll(/\b([a-z_]+)\{([^}]*)\}/g))
      for (const [, label] of inside!.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
        expect(labelsOf(name!), expr).toContain(label);
        looked += 1;
      }
    looked += grouped.length;
  }
  expect(looked).toBeGreaterThan(10);
});

test('every expression → its brackets match; every panel → its own place, its targets their own letters', () => {
  expect(asked.length).toBeGreaterThan(10);
  for (const expr of asked) {
    const bare = expr.replace(/"[^"]*"/g, '').replace(/[^()[\]{}]/g, '');
    let left = bare;
    while (/\(\)|\[\]|\{\}/.test(left)) left = left.replace(/\(\)|\[\]|\{\}/g, '');
    expect(left, expr).toBe('');
  }
  const taken = new Set<string>();
  for (const { title, gridPos, targets, datasource } of dashboard.panels) {
    const { x, y, w, h } = gridPos;
    expect(x + w, title).toBeLessThanOrEqual(24);
    for (let column = x; column < x + w; column++)
      for (let row = y; row < y + h; row++) {
        expect(taken.has(`${column} ${row}`), title).toBe(false);
        taken.add(`${column} ${row}`);
      }
    expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length);
    expect(datasource.uid, title).toMatch(/^\$\{datasource\}$/);
  }
});
