/**
 * The alerts, each declared once. Episodes and messages, the rules of deploy/prometheus/alerts.yml and the table of
 * docs/OPERATIONS.md come from here. Every statement reads a bounded number of rows, however much waits or was sent.
 */
import type { Alert, DatabaseAlert, Finding, OutageAlert, ProcessAlert } from './alert.js';
import { moment, quoted, spoken } from './alert.js';
import { ALERT_DEFAULTS, least, limitOf, namesWith } from './alert-defaults.js';
import * as sql from './alert-statements.js';

const seconds = (ms: number) => ms / 1000;
const all = (sentence: string): Finding => ({ subject: '', tenant: null, sentence });
const { waitingMs, silentMs, lateMs, failurePercent } = ALERT_DEFAULTS;

const nothingSent: DatabaseAlert = {
  id: 'nothing-sent',
  severity: 'page',
  condition: 'Emails wait, a worker is alive, and nothing has been sent for `alerts.silentMs`.',
  action:
    'Look at the routes on the overview; `postrider doctor` tries each of them. If a provider is silent, ask it, or send by another route.',
  page: () => '',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.NOTHING_SENT,
  parameters: (limits) => [seconds(limits.silentMs)],
  findings: (rows: Array<{ waited: number }>, limits) =>
    rows.map(({ waited }) =>
      all(
        `No email was sent for ${spoken(seconds(limits.silentMs))} although a worker is alive and emails wait, the oldest for ${spoken(waited)}.`,
      ),
    ),
  prometheus: {
    name: 'PostriderNothingSent',
    expr: `sum(rate(pipeline_final_state_total{state="sent"}[${silentMs / 60_000}m])) == 0 and max(email_queue_oldest_due_seconds) > ${seconds(silentMs)}`,
    for: '1m',
    summary: 'Nothing is sent while emails wait.',
  },
};

const emailsWait: DatabaseAlert = {
  id: 'emails-wait',
  severity: 'page',
  condition:
    'An email that could go has waited `alerts.waitingMs` for its first attempt, that of its tenant or type where it has one; one of priority 4 `alerts.bulkWaitingMs`.',
  action:
    'Look at the routes and workers on the overview: start more workers, or raise the rate of the route or add another.',
  page: () => '',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.EMAILS_WAIT,
  parameters: (limits) => [
    seconds(least(limits, 'waitingMs', 'bulkWaitingMs')),
    namesWith(limits, 'tenants', 'waitingMs'),
    namesWith(limits, 'types', 'waitingMs'),
  ],
  findings(
    rows: Array<{ bulk: boolean; tenant: string | null; type: string | null; waited: number }>,
    limits,
  ) {
    const longest = new Map<string, Finding & { waited: number }>();
    for (const { bulk, tenant, type, waited } of rows) {
      const general = bulk && tenant === null && type === null;
      const limitMs = general ? limits.bulkWaitingMs : limitOf(limits, 'waitingMs', { tenant, type });
      if (waited * 1000 < limitMs) continue;
      const subject = [
        ...(tenant === null ? [] : [`tenant ${tenant}`]),
        ...(type === null ? [] : [`type ${type}`]),
        ...(general ? ['priority 4'] : []),
      ].join(', ');
      if ((longest.get(subject)?.waited ?? 0) >= waited) continue;
      const which = `${type === null ? '' : ` of the type ${type}`}${tenant === null ? '' : ` of ${tenant}`}${general ? ' of priority 4' : ''}`;
      const sentence = `An email${which} has waited ${spoken(waited)} for its first attempt; ${spoken(seconds(limitMs))} is the limit.`;
      longest.set(subject, { subject, tenant, sentence, waited });
    }
    return [...longest.values()].map(({ waited: _, ...finding }) => finding);
  },
  prometheus: {
    name: 'PostriderEmailsWait',
    expr: `max(email_queue_oldest_due_seconds) > ${seconds(waitingMs)}`,
    for: '5m',
    summary: 'An email that could go has been waiting for {{ $value | humanizeDuration }}.',
  },
};

const noWorker: DatabaseAlert = {
  id: 'no-worker',
  severity: 'page',
  condition: 'No worker is alive, and emails wait or a worker ended without stopping.',
  action: 'Start a worker: `postrider serve --roles worker`. Its log says why the last one ended.',
  page: () => '',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.NO_WORKER,
  parameters: () => [],
  findings: (rows: Array<{ silent: number | null; waits: boolean }>) =>
    rows.map(({ silent, waits }) =>
      all(
        `No worker is alive${silent === null ? '' : `; the last one was seen ${spoken(silent)} ago`}. Emails are accepted and ${waits ? 'wait' : 'will wait'}.`,
      ),
    ),
  prometheus: {
    name: 'PostriderNoWorker',
    expr: 'max(workers_alive) < 1',
    for: '2m',
    summary: 'No worker is alive; emails are accepted and wait.',
  },
};

const workerWithoutLease: ProcessAlert = {
  id: 'worker-without-lease',
  severity: 'page',
  condition: 'A process with the role `worker` holds no lease.',
  action:
    'The log of that process says why it cannot begin; `postrider doctor` looks at everything it needs.',
  page: () => '',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'process',
  findings: ({ worker }) =>
    worker && !worker.up ? [all(`A worker process cannot deliver: ${quoted(worker.message)}.`)] : [],
  prometheus: null,
};

const engineDown: ProcessAlert = {
  id: 'engine-down',
  severity: 'page',
  condition: 'A worker cannot use the broker of its engine for `alerts.routeMs`.',
  action: 'Bring the broker back, or set POSTRIDER_ENGINE=postgres and restart the workers.',
  page: () => '',
  holdMs: ({ routeMs }) => routeMs,
  reads: 'process',
  findings: ({ engine }) =>
    engine && !engine.up
      ? [
          {
            subject: engine.name,
            tenant: null,
            sentence: `A worker cannot use the broker of its engine ${engine.name}: ${quoted(engine.message)}. Emails are accepted and wait.`,
          },
        ]
      : [],
  prometheus: {
    name: 'PostriderEngineDown',
    expr: 'min by (engine) (postrider_engine_up) == 0',
    for: '5m',
    summary:
      'A worker does not reach the broker of its engine {{ $labels.engine }}; emails are accepted and wait.',
  },
};

const busDown: ProcessAlert = {
  id: 'bus-down',
  severity: 'page',
  condition:
    'A process is not connected to the event bus, does not consume, or cannot move events, for `alerts.busMs`.',
  action:
    'Bring the broker of POSTRIDER_BUS_URL back; /health/ready says what is wrong. Nothing is lost meanwhile.',
  page: () => '',
  holdMs: ({ busMs }) => busMs,
  reads: 'process',
  findings: ({ bus }) =>
    bus && !bus.up
      ? [all(`The event bus is stuck: ${quoted(bus.message)}. Its events wait in the database.`)]
      : [],
  prometheus: {
    name: 'PostriderBusStuck',
    expr: 'min(postrider_bus_up) == 0',
    for: '5m',
    summary:
      'A worker is not connected to the event bus, does not consume, or cannot move events; /health/ready says which.',
  },
};

const busLate: DatabaseAlert = {
  id: 'bus-late',
  severity: 'ticket',
  condition: 'An event has waited `alerts.busMs` for the broker of the event bus.',
  action:
    'Start a worker that has POSTRIDER_BUS_URL, or bring its broker back. Where there is no bus any more, `postrider bus off` removes the events.',
  page: () => '',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.BUS_LATE,
  parameters: (limits) => [seconds(limits.busMs)],
  findings: (rows: Array<{ waited: number }>) =>
    rows.map(({ waited }) => all(`The oldest event has waited ${spoken(waited)} for the event bus.`)),
  prometheus: null,
};

const routeFailing: DatabaseAlert = {
  id: 'route-failing',
  severity: 'page',
  condition: 'The circuit of a route is open, and stays so for `alerts.routeMs`.',
  action:
    'Ask the provider, or send by another route. The route is tried again by itself and used as soon as it answers.',
  page: () => '',
  holdMs: ({ routeMs }) => routeMs,
  reads: 'database',
  sql: sql.ROUTE_FAILING,
  parameters: () => [],
  findings: (rows: Array<{ name: string; open: number; reason: string | null }>) =>
    rows.map(({ name, reason }) => ({
      subject: name,
      tenant: null,
      sentence: `The route ${name} fails and is not used: ${quoted(reason)}.`,
    })),
  prometheus: {
    name: 'PostriderRouteOpen',
    expr: 'max by (route) (route_circuit_state) == 2',
    for: '5m',
    summary: 'The circuit of the route {{ $labels.route }} has been open for five minutes.',
  },
};

const paused: DatabaseAlert = {
  id: 'paused',
  severity: 'ticket',
  condition:
    'Emails wait for a pause: one a worker made because the account is wrong or its quota is spent, or one of a person that is `alerts.pausedMs` old.',
  action: 'Repair what the reason names, then lift the pause on the overview or with `postrider resume`.',
  page: () => '',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.PAUSED,
  parameters: (limits) => [seconds(limits.pausedMs)],
  findings: (rows: Array<{ scope: string; value: string; reason: string | null; age: number }>) =>
    rows.map(({ scope, value, reason, age }) => ({
      subject: value === '' ? scope : `${scope}:${value}`,
      tenant: scope === 'tenant' ? value : null,
      sentence: `${scope === 'all' ? 'All sending' : `The ${scope} ${value}`} has been paused for ${spoken(age)} while emails wait for it: ${quoted(reason)}.`,
    })),
  prometheus: {
    name: 'PostriderRoutePaused',
    expr: 'max by (route) (route_paused) == 1 and max by (route) (route_waiting_emails) > 0',
    for: '1h',
    summary: 'The route {{ $labels.route }} has been paused for an hour while emails wait for it.',
  },
};

const failures: DatabaseAlert = {
  id: 'failures',
  severity: 'ticket',
  condition:
    'Of at least `alerts.rateMinimum` emails of this hour and the last, more than `alerts.failurePercent` in a hundred failed; of all, else of a type; of a tenant that has such a threshold of its own.',
  action:
    'The dead letters are grouped by error: mend the cause of the most frequent one, then send them again from there.',
  page: () => 'dead-letters',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.FAILURES,
  parameters: (limits) => [
    least(limits, 'rateMinimum'),
    least(limits, 'failurePercent'),
    namesWith(limits, 'tenants', 'failurePercent', 'rateMinimum'),
  ],
  findings(
    rows: Array<{ tenant: string | null; type: string | null; failed: number; ended: number }>,
    limits,
  ) {
    const exceeding = rows.filter(
      (row) =>
        row.ended >= limitOf(limits, 'rateMinimum', row) &&
        row.failed * 100 > row.ended * limitOf(limits, 'failurePercent', row),
    );
    const whole = exceeding.some(({ tenant, type }) => tenant === null && type === null);
    const single = new Set(namesWith(limits, 'types', 'failurePercent', 'rateMinimum'));
    return exceeding.slice(0, MOST_FINDINGS).map(({ tenant, type, failed, ended }) => ({
      subject: tenant === null ? (type ?? '') : `tenant ${tenant}`,
      tenant,
      sentence: `${failed} of ${ended} emails${of({ tenant, type })} that ended in this hour and the last failed (${percent(failed, ended)}).`,
      implied: whole && type !== null && !single.has(type),
    }));
  },
  prometheus: {
    name: 'PostriderFailures',
    expr: `sum(rate(pipeline_final_state_total{state="failed"}[15m])) / clamp_min(sum(rate(pipeline_final_state_total[15m])), 0.001) > ${failurePercent / 100}`,
    for: '15m',
    summary: '{{ $value | humanizePercentage }} of the emails that ended have failed.',
  },
};

const unknownOutcomes: DatabaseAlert = {
  id: 'unknown-outcomes',
  severity: 'ticket',
  condition: 'An email ended in `unknown` within the last hour, and nobody has decided about it.',
  action: 'Decide for each in the dead letters whether it is sent again or left.',
  page: () => 'dead-letters?status=unknown',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.UNKNOWN_OUTCOMES,
  parameters: () => [],
  findings: (rows: Array<{ count: number }>) =>
    rows.flatMap(({ count }) =>
      count > 0
        ? [
            all(
              `It is not known whether ${count >= 1000 ? '1000 or more emails' : emails(count)} of the last hour ${count === 1 ? 'was' : 'were'} delivered; ${count === 1 ? 'it waits' : 'they wait'} for a decision.`,
            ),
          ]
        : [],
    ),
  prometheus: {
    name: 'PostriderUnknownOutcomes',
    expr: 'sum(increase(pipeline_final_state_total{state="unknown"}[1h])) > 0',
    for: null,
    summary: 'Emails ended in unknown; a person decides whether they are sent again.',
  },
};

const reports = (kind: 'bounces' | 'complaints'): DatabaseAlert => {
  const bounces = kind === 'bounces';
  const limit = bounces ? 'bouncePercent' : 'complaintsPerThousand';
  const whole = bounces ? 100 : 1000;
  return {
    id: kind,
    severity: 'ticket',
    condition: `Of at least \`alerts.rateMinimum\` emails sent in a day, ${bounces ? 'more than `alerts.bouncePercent` in a hundred bounced' : 'more than `alerts.complaintsPerThousand` in a thousand were reported as spam'}; of a tenant or type that has such a threshold of its own since yesterday began (UTC).`,
    action: bounces
      ? 'Find out where the addresses come from and stop sending to them; providers close accounts that go on.'
      : 'Stop the type people complain about; check who agreed to it and whether its unsubscribe link works.',
    page: (_, tenant) =>
      `suppressions?reason=${bounces ? 'bounce' : 'complaint'}${tenant === null ? '' : `&companyId=${encodeURIComponent(tenant)}`}`,
    holdMs: ({ holdMs }) => holdMs,
    reads: 'database',
    sql: sql.REPORTS,
    parameters: (limits) => [
      bounces ? 'BOUNCED' : 'COMPLAINED',
      least(limits, 'rateMinimum'),
      least(limits, limit) / whole,
      namesWith(limits, 'tenants', limit, 'rateMinimum'),
      namesWith(limits, 'types', limit, 'rateMinimum'),
    ],
    findings: (
      rows: Array<{ tenant: string | null; type: string | null; count: number; sent: number }>,
      limits,
    ) =>
      rows.flatMap((row) => {
        const { tenant, type, count, sent } = row;
        if (sent < limitOf(limits, 'rateMinimum', row) || count * whole <= sent * limitOf(limits, limit, row))
          return [];
        const named = tenant !== null || type !== null;
        return [
          {
            subject: tenant === null ? (type ?? '') : `tenant ${tenant}`,
            tenant,
            sentence: `${count} of ${emails(sent)}${of(row)} sent ${named ? 'since yesterday began (UTC)' : 'within a day'} ${bounces ? 'bounced' : 'were reported as spam'} (${percent(count, sent)}).`,
          },
        ];
      }),
    prometheus: null,
  };
};

const late: ProcessAlert = {
  id: 'late',
  severity: 'page',
  condition:
    'Within a quarter of an hour three codes, links or other sensitive emails of a type, and a tenth of them, reached their provider later than `alerts.lateMs`, as one worker saw it; those of a type with such a threshold of its own later than that.',
  action:
    'Give the type a higher priority or a route of its own, or start more workers; look at what the route answers.',
  page: (type) => `emails?type=${encodeURIComponent(type)}`,
  holdMs: () => 0,
  reads: 'process',
  findings: ({ lateTypes }) =>
    lateTypes.map(({ type, late: count, sent, limitMs, longestMs }) => ({
      subject: type,
      tenant: null,
      sentence: `${count} of ${emails(sent)} of the type ${type} within a quarter of an hour took longer than ${spoken(seconds(limitMs))} to reach their provider; the slowest took ${spoken(seconds(longestMs))}.`,
    })),
  prometheus: {
    name: 'PostriderSlowDelivery',
    expr: `histogram_quantile(0.99, sum by (le) (rate(email_delivery_seconds_bucket[10m]))) > ${seconds(lateMs)}`,
    for: '10m',
    summary: 'One email in a hundred takes longer than two minutes from acceptance to its provider.',
  },
};

const expired: DatabaseAlert = {
  id: 'expired',
  severity: 'page',
  condition: 'Within a quarter of an hour three emails of a type expired before they were sent.',
  action:
    'Look at the workers and routes on the overview: what expires unsent has waited too long. Those emails are not sent any more.',
  page: (type) => `emails?status=expired${type === '' ? '' : `&type=${encodeURIComponent(type)}`}`,
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.EXPIRED,
  parameters: () => [],
  findings: (rows: Array<{ type: string; expired: number }>) =>
    rows.map(({ type, expired: count }) => ({
      subject: type,
      tenant: null,
      sentence: `${count >= 1000 ? '1000 or more emails' : emails(count)} ${type === '' ? 'without a type' : `of the type ${type}`} expired within a quarter of an hour before they were sent.`,
    })),
  prometheus: null,
};

const quota: DatabaseAlert = {
  id: 'quota',
  severity: 'ticket',
  condition:
    'A tenant has used `alerts.quotaPercent` in a hundred of a quota; once more when it has used all of it and its emails are refused.',
  action: "Raise the tenant's quota on the page of limits, or let the tenant know.",
  page: () => 'limits',
  holdMs: () => 0,
  reads: 'database',
  sql: sql.QUOTA,
  parameters: (limits) => [least(limits, 'quotaPercent')],
  findings: (
    rows: Array<{ tenant: string; period: string; most: number; used: number; ends: string }>,
    limits,
  ) =>
    rows.flatMap(({ tenant, period, most, used, ends }) => {
      if (used * 100 < most * limitOf(limits, 'quotaPercent', { tenant })) return [];
      const near = {
        subject: `${period} of ${tenant}`,
        tenant,
        sentence: `${tenant} has used ${counted(used)} of the ${counted(most)} emails it may send this ${period} (${percent(used, most)}); the ${period} ends at ${moment(ends)}.`,
      };
      if (used < most) return [near];
      const spent = {
        subject: `${period} of ${tenant}, spent`,
        tenant,
        sentence: `${tenant} has used all ${counted(most)} emails it may send this ${period}; more are refused until ${moment(ends)}.`,
      };
      return [{ ...near, implied: true }, spent];
    }),
  prometheus: null,
};

const webhookFailing: DatabaseAlert = {
  id: 'webhook-failing',
  severity: 'ticket',
  condition: 'Nothing has reached a webhook endpoint for `alerts.webhookMs`.',
  action:
    'Its page shows what was answered: let its owner know. It is turned off after POSTRIDER_WEBHOOK_DISABLE_AFTER.',
  page: (id) => `webhooks/${encodeURIComponent(id)}`,
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.WEBHOOK_FAILING,
  parameters: (limits) => [seconds(least(limits, 'webhookMs'))],
  findings: (rows: Array<{ id: string; tenant: string; url: string; failing: number }>, limits) =>
    rows
      .filter(({ tenant, failing }) => failing * 1000 >= limitOf(limits, 'webhookMs', { tenant }))
      .slice(0, MOST_FINDINGS)
      .map(({ id, tenant, url, failing }) => ({
        subject: id,
        tenant,
        sentence: `The webhook endpoint of ${tenant} at ${hostOf(url)} has accepted nothing for ${spoken(failing)}.`,
      })),
  prometheus: null,
};

const scheduleMissed: ProcessAlert = {
  id: 'schedule-missed',
  severity: 'page',
  condition: 'The time of a schedule passed and no run began.',
  action:
    'Start a process with the role `scheduler`; `postrider schedules run` starts the missed run by hand.',
  page: (name) => `schedules/${encodeURIComponent(name)}`,
  holdMs: ({ holdMs }) => holdMs,
  reads: 'process',
  findings: async ({ missedSchedules }) =>
    (await missedSchedules()).map(({ name, dueAt }) => ({
      subject: name,
      tenant: null,
      sentence: `The schedule ${name} was due at ${moment(dueAt.toISOString())} and has not begun.`,
    })),
  prometheus: null,
};

const scheduleStuck: DatabaseAlert = {
  id: 'schedule-stuck',
  severity: 'ticket',
  condition: 'A run of a schedule failed within the last day, or cannot go on after three tries.',
  action:
    'The page of the schedule shows the error: repair what it names. A run that cannot go on is tried again by itself.',
  page: (name) => `schedules/${encodeURIComponent(name)}`,
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.SCHEDULE_STUCK,
  parameters: () => [],
  findings: (rows: Array<{ schedule: string; state: string; error: string | null }>) =>
    rows.map(({ schedule, state, error }) => ({
      subject: schedule,
      tenant: null,
      sentence: `A run of the schedule ${schedule} ${state === 'failed' ? 'failed' : 'cannot go on after three tries'}: ${quoted(error)}.`,
    })),
  prometheus: null,
};

const acceptingFails: ProcessAlert = {
  id: 'accepting-fails',
  severity: 'page',
  condition: 'The store failed calls that hand in emails, within the last five minutes.',
  action: 'Look at the disk and the log of the database. Callers got an error and must send again.',
  page: () => '',
  holdMs: () => 0,
  reads: 'process',
  findings: ({ accepting }) =>
    accepting
      ? [
          all(
            `The database failed ${accepting.failures === 1 ? 'one call that hands' : `${accepting.failures} calls that hand`} in emails within five minutes: ${quoted(accepting.message)}.`,
          ),
        ]
      : [],
  prometheus: {
    name: 'PostriderApiErrors',
    expr: 'sum(rate(http_request_duration_seconds_count{status=~"5.."}[5m])) > 0.1',
    for: '5m',
    summary: 'The API answers with errors of its own.',
  },
};

/** Kept in the memory of each process, since no row can be written. */
const databaseAway: OutageAlert = {
  id: 'database-away',
  severity: 'page',
  condition: 'A process cannot use its database.',
  action:
    'Bring the database back; `postrider doctor` says what is wrong. Nothing is accepted or sent until then.',
  page: () => '',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'outage',
  sentence: (reason) => `The database cannot be used: ${quoted(reason)}.`,
  prometheus: {
    name: 'PostriderQueueUnseen',
    expr: 'absent(email_queue_oldest_due_seconds)',
    for: '5m',
    summary: 'No process can read the queue; is the database away?',
  },
};

/** A row where the statement of one alert fails; in memory where none can be written. */
const alertsFail: OutageAlert = {
  id: 'alerts-fail',
  severity: 'page',
  condition:
    'The statement of an alert fails, or the rows of alerts cannot be written, although the database answers.',
  action:
    'Look at the rights of the database role and at `postrider migrate`. Until then nobody is told of what that alert watches.',
  page: () => '',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'outage',
  sentence: (reason, alert) =>
    `${alert === undefined ? 'Alerts' : `The alert ${alert}`} cannot be looked at: ${quoted(reason)}.`,
  prometheus: null,
};

export const ALERTS: readonly Alert[] = [
  nothingSent,
  emailsWait,
  noWorker,
  workerWithoutLease,
  engineDown,
  busDown,
  busLate,
  routeFailing,
  paused,
  failures,
  unknownOutcomes,
  reports('bounces'),
  reports('complaints'),
  late,
  expired,
  quota,
  webhookFailing,
  scheduleMissed,
  scheduleStuck,
  acceptingFails,
  databaseAway,
  alertsFail,
];

export const DATABASE_AWAY = databaseAway;
export const ALERTS_FAIL = alertsFail;

/** Of one alert at once; they are the worst. */
const MOST_FINDINGS = 20;

function counted(count: number): string {
  return count.toLocaleString('en');
}

function emails(count: number): string {
  return `${counted(count)} email${count === 1 ? '' : 's'}`;
}

function of({ tenant, type }: { tenant: string | null; type: string | null }): string {
  return `${type === null ? '' : ` of the type ${type}`}${tenant === null ? '' : ` of ${tenant}`}`;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : quoted(url);
}

function percent(part: number, whole: number): string {
  return `${Math.round((part / whole) * 1000) / 10} %`;
}
