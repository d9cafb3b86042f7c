/**
 * Counts of what became of emails, by the time they were accepted: in all, or by period, domain, broadcast or email.
 * Rates are shares from 0 to 1.
 */
import { Hono } from 'hono';
import { invalidPayload, parseChoice } from '../../../kernel/index.js';
import type { MetricCount } from '../../../views/index.js';
import type { HttpEnv } from '../request-context.js';
import { callerCompany } from './caller-company.js';
import type { ResendRouteOptions } from './email-routes.js';
import { listed, readDimensions } from './metric-dimensions.js';
import { parseScheduledAt } from './scheduled-at.js';

export function resendMetricRoutes({ rooms, clock }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/emails/metrics', async (c) => {
    const query = c.req.query();
    const to = new Date(
      query.end_date === undefined ? clock.now() : parseScheduledAt(query.end_date, clock.now(), 'end_date'),
    );
    const from = new Date(
      query.start_date === undefined
        ? to.getTime() - 6 * DAY_MS
        : parseScheduledAt(query.start_date, clock.now(), 'start_date'),
    );
    if (from >= to || to.getTime() - from.getTime() > MOST_DAYS * DAY_MS)
      throw invalidPayload('start_date', `must be before end_date, by ${MOST_DAYS} days at most`);
    const company = callerCompany(c, rooms.defaultCompany);
    const granularity = parseChoice(query.granularity, 'granularity', GRANULARITIES) ?? 'daily';
    const metrics = metricsOf(query.metrics);
    const zone = zoneOf(query.timezone);
    const { byPeriod, labelOf, ...of } = await readDimensions(query, rooms, company);
    const bucket = byPeriod ? BUCKETS[granularity] : null;
    const counts = await rooms.emails.count(company, { ...{ from, to, zone, bucket }, ...of });
    const dimensions = listed(query.dimensions);
    const apart = new Map<string, MetricCount[]>();
    for (const count of counts) {
      const key = JSON.stringify(labelOf(count));
      apart.set(key, [...(apart.get(key) ?? []), count]);
    }
    return c.json({
      object: 'metrics',
      ...{ start_date: from.toISOString(), end_date: to.toISOString(), metrics, dimensions, granularity },
      totals: figures(counts, metrics),
      ...(dimensions.length > 0 && {
        data: [...apart.values()].map((row) => ({ ...labelOf(row[0]!), ...figures(row, metrics) })),
      }),
    });
  });

  return routes;
}

const DAY_MS = 86_400_000;
const MOST_DAYS = 92;
const BUCKETS = { hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month' } as const;
const GRANULARITIES = ['hourly', 'daily', 'weekly', 'monthly'] as const;

type Sum = (what: RegExp, unique?: boolean) => number;

const COUNTED: Record<string, (sum: Sum) => number> = {
  sent: (sum) => sum(/^sent$/),
  failed: (sum) => sum(/^(?:failed|unknown|EXPIRED)$/),
  suppressed: (sum) => sum(/^SUPPRESSED$/),
  delivered: (sum) => sum(/^DELIVERED$/, true),
  delivery_delayed: (sum) => sum(/^DELAYED$/, true),
  bounced: (sum) => sum(/^BOUNCED/, true),
  bounced_permanent: (sum) => sum(/^BOUNCED permanent$/, true),
  bounced_transient: (sum) => sum(/^BOUNCED transient$/, true),
  bounced_undetermined: (sum) => sum(/^BOUNCED (?!permanent|transient)/, true),
  complained: (sum) => sum(/^COMPLAINED$/, true),
  unsubscribed: (sum) => sum(/^UNSUBSCRIBED$/, true),
  opened: (sum) => sum(/^OPENED$/),
  unique_opened: (sum) => sum(/^OPENED$/, true),
  clicked: (sum) => sum(/^CLICKED$/),
  unique_clicked: (sum) => sum(/^CLICKED$/, true),
  delivery_rate: (sum) => share(sum(/^DELIVERED$/, true), sum(/^sent$/)),
  bounce_rate: (sum) => share(sum(/^BOUNCED/, true), sum(/^sent$/)),
  open_rate: (sum) => share(sum(/^OPENED$/, true), sum(/^DELIVERED$/, true)),
  click_rate: (sum) => share(sum(/^CLICKED$/, true), sum(/^DELIVERED$/, true)),
  complaint_rate: (sum) => share(sum(/^COMPLAINED$/, true), sum(/^DELIVERED$/, true)),
  unsubscribe_rate: (sum) => share(sum(/^UNSUBSCRIBED$/, true), sum(/^DELIVERED$/, true)),
};

function figures(counts: readonly MetricCount[], metrics: readonly string[]): Record<string, number> {
  const sum: Sum = (what, unique = false) =>
    counts.reduce(
      (all, count) => all + (what.test(count.what) ? (unique ? count.emails : count.times) : 0),
      0,
    );
  return Object.fromEntries(metrics.map((name) => [name, COUNTED[name]!(sum)]));
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function metricsOf(text: string | undefined): string[] {
  if (text === undefined) return Object.keys(COUNTED);
  const names = listed(text);
  const strange = names.find((name) => !Object.hasOwn(COUNTED, name));
  if (strange !== undefined) throw invalidPayload('metrics', `may be ${Object.keys(COUNTED).join(', ')}`);
  return names;
}

function zoneOf(text: string | undefined): string {
  if (text === undefined) return 'UTC';
  const known = text.length < 64 && Intl.supportedValuesOf('timeZone').includes(text);
  if (!known && text !== 'UTC')
    throw invalidPayload('timezone', 'must be the name of a time zone, such as Europe/Berlin');
  return text;
}
