/**
 * The thresholds that hold without configuration. Settings take them as their defaults, and the rules for Prometheus
 * are written with them, so that both say the same.
 */
export const ALERT_DEFAULTS = {
  silentMs: 5 * 60_000,
  waitingMs: 10 * 60_000,
  bulkWaitingMs: 6 * 3_600_000,
  lateMs: 2 * 60_000,
  pausedMs: 3_600_000,
  routeMs: 5 * 60_000,
  holdMs: 60_000,
  webhookMs: 3_600_000,
  busMs: 5 * 60_000,
  failurePercent: 5,
  bouncePercent: 5,
  complaintsPerThousand: 3,
  rateMinimum: 50,
} as const;

export type Thresholds = { readonly [Name in keyof typeof ALERT_DEFAULTS]: number };
