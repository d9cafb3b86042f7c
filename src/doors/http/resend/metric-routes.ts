/**
 * Counts of what became of emails, by the time they were accepted. In all or by period; other breakdowns are refused
 * rather than left out. Rates are shares from 0 to 1.
 */
import { Hono } from 'hono';
import { invalidPayload, isUuid, parseChoice } from '../../../kernel/index.js';
import type { MetricCount } from '../../../views/index.js';
import type { HttpEnv } from '../request-context.js';
import { callerCompany } from './caller-company.js';
import type { ResendRouteOptions } from './email-routes.js';
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
    for (const field of ['domain_id', 'broadcast_id'])
      if (query[field] !== undefined) throw invalidPayload(field, 'is not something that is counted by here');
    const dimensions = listed(query.dimensions);
    if (dimensions.some((one) => one !== 'period'))
      throw invalidPayload('dimensions', 'may be period, or nothing');
    const granularity = parseChoice(query.granularity, 'granularity', GRANULARITIES) ?? 'daily';
    const metrics = metricsOf(query.metrics);
    const ids = query.email_id === undefined ? null : listed(query.email_id);
    if (ids && !ids.every(isUuid)) throw invalidPayload('email_id', 'must be ids of emails');
    const counts = await rooms.emails.count(callerCompany(c, rooms.defaultCompany), {
      ...{ from, to, ids, zone: zoneOf(query.timezone) },
      bucket: dimensions.length === 0 ? null : BUCKETS[granularity],
    });
    const periods = [...new Set(counts.map(({ period }) => period))];
    return c.json({
      object: 'metrics',
      ...{ start_date: from.toISOString(), end_date: to.toISOString(), metrics, dimensions, granularity },
      totals: figures(counts, metrics),
      ...(dimensions.length > 0 && {
        data: periods.map((period) => ({
          period,
          ...figures(
            counts.filter((count) => count.period === period),
            metrics,
          ),
        })),
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

function listed(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .filter((one) => one !== '')
    .slice(0, 100);
}

function zoneOf(text: string | undefined): string {
  if (text === undefined) return 'UTC';
  const known = text.length < 64 && Intl.supportedValuesOf('timeZone').includes(text);
  if (!known && text !== 'UTC')
    throw invalidPayload('timezone', 'must be the name of a time zone, such as Europe/Berlin');
  return text;
}
