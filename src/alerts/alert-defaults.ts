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
  quotaPercent: 90,
} as const;

type Limits = { readonly [Name in keyof typeof ALERT_DEFAULTS]: number };

/** Of one tenant or one type, in the place of the general ones. */
type Rates = Partial<
  Pick<Limits, 'waitingMs' | 'failurePercent' | 'bouncePercent' | 'complaintsPerThousand' | 'rateMinimum'>
>;
export type TenantThresholds = Rates & Partial<Pick<Limits, 'webhookMs' | 'quotaPercent'>>;
export type TypeThresholds = Rates & Partial<Pick<Limits, 'lateMs'>>;

export interface Thresholds extends Limits {
  tenants: Readonly<Record<string, TenantThresholds>> | null;
  types: Readonly<Record<string, TypeThresholds>> | null;
}

type Own = 'tenants' | 'types';

/** The tenants or types that have a threshold of their own among these. */
export function namesWith(thresholds: Thresholds, of: Own, ...limits: string[]): string[] {
  return Object.entries(thresholds[of] ?? {}).flatMap(([name, own]) =>
    limits.some((limit) => limit in own) ? [name] : [],
  );
}

/** The threshold of one tenant or type: its own, else the general one. */
export function limitOf(
  thresholds: Thresholds,
  limit: keyof Limits,
  { tenant, type }: { tenant?: string | null; type?: string | null },
): number {
  const own = [
    tenant == null ? undefined : entry(thresholds.tenants, tenant)?.[limit],
    type == null ? undefined : entry(thresholds.types, type)?.[limit],
  ].filter((value) => value !== undefined);
  return own.length > 0 ? Math.min(...own) : thresholds[limit];
}

/** The smallest value of a threshold, whosever it is. */
export function least(thresholds: Thresholds, ...limits: Array<keyof Limits>): number {
  return Math.min(
    ...limits.flatMap((limit) => [
      thresholds[limit],
      ...[...Object.values(thresholds.tenants ?? {}), ...Object.values(thresholds.types ?? {})].flatMap(
        (own) => (own as Partial<Limits>)[limit] ?? [],
      ),
    ]),
  );
}

function entry(of: Readonly<Record<string, object>> | null, name: string): Partial<Limits> | undefined {
  return of !== null && Object.hasOwn(of, name) ? (of[name] as Partial<Limits>) : undefined;
}
