import type { Alert, Finding } from './alert.js';
import type { Thresholds } from './alert-defaults.js';
import type { Seen } from './episodes.js';

/** The findings of several alerts, each with what its episode needs to know of its alert. */
export function seenIn(
  watched: readonly Alert[],
  findingsOf: (alert: Alert) => Finding[],
  thresholds: Thresholds,
): Seen[] {
  return watched.flatMap((alert) =>
    findingsOf(alert).map((finding) => ({
      alert: alert.id,
      severity: alert.severity,
      holdMs: alert.holdMs(thresholds),
      ...finding,
    })),
  );
}
