/** The declaration of the alerts as others read it: rules for Prometheus, and a table for the documentation. */
import type { Alert } from './alert.js';

/** The text of deploy/prometheus/alerts.yml. */
export function prometheusRules(alerts: readonly Alert[]): string {
  const rules = alerts.flatMap(({ severity, action, prometheus: rule }) => {
    if (!rule) return [];
    return [
      `      - alert: ${rule.name}`,
      `        expr: ${rule.expr}`,
      ...(rule.for === null ? [] : [`        for: ${rule.for}`]),
      `        labels: { severity: ${severity} }`,
      '        annotations:',
      `          summary: ${JSON.stringify(rule.summary)}`,
      `          description: ${JSON.stringify(action)}`,
    ];
  });
  return [
    '# Generated from src/alerts/alerts.ts; change that, then run',
    '# `npx vitest run --project unit src/alerts/describe-alerts.test.ts -u`.',
    '# Metrics about the queue come from every process alike, so the maximum is taken.',
    'groups:',
    '  - name: postrider',
    '    rules:',
    ...rules,
    '',
  ].join('\n');
}

/** The table of docs/OPERATIONS.md. */
export function alertTable(alerts: readonly Alert[]): string {
  const rows = alerts.map(
    ({ id, severity, condition, action, prometheus }) =>
      `| \`${id}\` | ${severity} | ${condition} | ${action} | ${prometheus ? `\`${prometheus.name}\`` : '–'} |`,
  );
  return [
    '| alert | severity | when | what to do | rule for Prometheus |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
