import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ALERTS } from './alerts.js';
import { alertTable, prometheusRules } from './describe-alerts.js';

test('deploy/prometheus/alerts.yml → says what the declaration says, as YAML that can be read', async () => {
  const text = prometheusRules(ALERTS);
  await expect(text).toMatchFileSnapshot('../../deploy/prometheus/alerts.yml');
  const { rules } = parse(text).groups[0];
  expect(rules).toHaveLength(ALERTS.filter(({ prometheus }) => prometheus).length);
  for (const rule of rules)
    expect(rule).toMatchObject({ annotations: { summary: expect.any(String) }, expr: expect.any(String) });
});

test('docs/OPERATIONS.md → lists every alert as declared', () => {
  expect(readFileSync('docs/OPERATIONS.md', 'utf8')).toContain(alertTable(ALERTS));
});

test('every alert → an id of its own, sentences that end, and a rule of its own name', () => {
  expect(new Set(ALERTS.map(({ id }) => id)).size).toBe(ALERTS.length);
  const rules = ALERTS.flatMap(({ prometheus }) => prometheus?.name ?? []);
  expect(new Set(rules).size).toBe(rules.length);
  for (const { id, condition, action } of ALERTS) {
    expect(id).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
    expect(condition.endsWith('.'), id).toBe(true);
    expect(action, id).toMatch(/[.?]$/);
  }
});
