/**
 * The alerts, each declared once. Episodes and messages, the rules of deploy/prometheus/alerts.yml and the table of
 * docs/OPERATIONS.md come from here. Every statement reads a bounded number of rows, however much waits or was sent.
 */
import type { Alert, DatabaseAlert, Finding, ProcessAlert } from './alert.js';
import { quoted, spoken } from './alert.js';
import { ALERT_DEFAULTS } from './alert-defaults.js';
import * as sql from './alert-statements.js';

const seconds = (ms: number) => ms / 1000;
const all = (sentence: string): Finding => ({ subject: '', tenant: null, sentence });
const { waitingMs, silentMs, lateMs, failurePercent } = ALERT_DEFAULTS;

const nothingSent: DatabaseAlert = {
  id: 'nothing-sent',
  severity: 'page',
  condition: 'Emails wait, a worker is alive, and nothing has been sent for `alerts.silentMs`.',
  action:
    'Look at the routes on the overview: is a provider silent, is everything paused? `postrider doctor` tries each way out.',
  page: '',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.NOTHING_SENT,
  parameters: (limits) => [seconds(limits.silentMs)],
  findings: (rows: Array<{ waited: number }>, limits) =>
    rows.map(({ waited }) =>
      all(
        `Nothing was sent for ${spoken(seconds(limits.silentMs))} while emails wait, the longest for ${spoken(waited)}.`,
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
    'An email that could go has waited `alerts.waitingMs` for its first attempt; one of priority 4 `alerts.bulkWaitingMs`.',
  action:
    'Look at the overview: are there enough workers, is a route open, is its rate too low for what waits?',
  page: '',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.EMAILS_WAIT,
  parameters: (limits) => [seconds(limits.waitingMs), seconds(limits.bulkWaitingMs)],
  findings: (rows: Array<{ bulk: boolean; waited: number }>) =>
    rows.map(({ bulk, waited }) => ({
      subject: bulk ? 'priority 4' : '',
      tenant: null,
      sentence: `An email${bulk ? ' of priority 4' : ''} that could go has been waiting for ${spoken(waited)}.`,
    })),
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
  page: '',
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
  page: '',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'process',
  findings: ({ worker }) =>
    worker && !worker.up
      ? [all(`A process has the role worker and does not deliver: ${quoted(worker.message)}.`)]
      : [],
  prometheus: null,
};

const engineDown: ProcessAlert = {
  id: 'engine-down',
  severity: 'page',
  condition: 'A worker does not reach the broker of its engine.',
  action: 'Bring the broker back, or set POSTRIDER_ENGINE=postgres and restart the workers.',
  page: '',
  holdMs: ({ routeMs }) => routeMs,
  reads: 'process',
  findings: ({ engine }) =>
    engine && !engine.up
      ? [
          {
            subject: engine.name,
            tenant: null,
            sentence: `A worker does not reach the broker of its engine ${engine.name}: ${quoted(engine.message)}. Emails are accepted and wait.`,
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
  condition: 'A process is not connected to the event bus, does not consume, or cannot move events.',
  action:
    'Bring the broker of POSTRIDER_BUS_URL back; /health/ready says what is wrong. Events wait in the store.',
  page: '',
  holdMs: ({ busMs }) => busMs,
  reads: 'process',
  findings: ({ bus }) =>
    bus && !bus.up ? [all(`The event bus is stuck: ${quoted(bus.message)}. Its events wait.`)] : [],
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
    'Is a worker alive that has POSTRIDER_BUS_URL? Without a bus, `postrider bus off` forgets the events.',
  page: '',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.BUS_LATE,
  parameters: (limits) => [seconds(limits.busMs)],
  findings: (rows: Array<{ waited: number }>) =>
    rows.map(({ waited }) => all(`An event has waited for the event bus for ${spoken(waited)}.`)),
  prometheus: null,
};

const routeFailing: DatabaseAlert = {
  id: 'route-failing',
  severity: 'page',
  condition: 'The circuit of a route is open, and stays so for `alerts.routeMs`.',
  action:
    'Ask its provider, or take another route: the route is probed by itself and closes when it answers.',
  page: '',
  holdMs: ({ routeMs }) => routeMs,
  reads: 'database',
  sql: sql.ROUTE_FAILING,
  parameters: () => [],
  findings: (rows: Array<{ name: string; open: number; reason: string | null }>) =>
    rows.map(({ name, reason }) => ({
      subject: name,
      tenant: null,
      sentence: `The route ${name} fails and is held open: ${quoted(reason)}.`,
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
  action: 'Mend what the reason names, then `postrider resume` with the name of the pause.',
  page: '',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.PAUSED,
  parameters: (limits) => [seconds(limits.pausedMs)],
  findings: (rows: Array<{ scope: string; value: string; reason: string | null; age: number }>) =>
    rows.map(({ scope, value, reason, age }) => ({
      subject: value === '' ? scope : `${scope}:${value}`,
      tenant: scope === 'tenant' ? value : null,
      sentence: `${scope === 'all' ? 'All sending' : `The ${scope} ${value}`} has been paused for ${spoken(age)} and emails wait for it: ${quoted(reason)}.`,
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
    'Of at least `alerts.rateMinimum` emails of this hour and the last, `alerts.failurePercent` failed; of all, else of a type.',
  action: 'The dead letters are grouped by error: mend the most frequent one, then retry them.',
  page: 'dead-letters',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.FAILURES,
  parameters: (limits) => [limits.rateMinimum, limits.failurePercent],
  findings(rows: Array<{ type: string | null; failed: number; ended: number }>) {
    const whole = rows.filter(({ type }) => type === null);
    return (whole.length > 0 ? whole : rows).map(({ type, failed, ended }) => ({
      subject: type ?? '',
      tenant: null,
      sentence: `${failed} of the last ${ended} emails${type ? ` of the type ${type}` : ''} failed (${percent(failed, ended)}).`,
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
  condition: 'An email ended in `unknown` within the last hour.',
  action: 'Decide for each whether it is sent again: `postrider dlq list`.',
  page: 'dead-letters',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.UNKNOWN_OUTCOMES,
  parameters: () => [],
  findings: (rows: Array<{ count: number }>) =>
    rows.flatMap(({ count }) =>
      count > 0
        ? [
            all(
              `${count >= 1000 ? '1000 or more' : count} emails may or may not have been delivered, and end there.`,
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
  return {
    id: kind,
    severity: 'ticket',
    condition: bounces
      ? 'Of at least `alerts.rateMinimum` emails sent in a day, `alerts.bouncePercent` bounced.'
      : 'Of at least `alerts.rateMinimum` emails sent in a day, `alerts.complaintsPerThousand` in a thousand were reported as spam.',
    action: bounces
      ? 'Find where the addresses come from; providers close accounts that go on.'
      : 'Stop the type people complain about; look at its consent and its unsubscribe link.',
    page: 'suppressions',
    holdMs: ({ holdMs }) => holdMs,
    reads: 'database',
    sql: sql.REPORTS,
    parameters: (limits) => [
      bounces ? 'BOUNCED' : 'COMPLAINED',
      limits.rateMinimum,
      bounces ? limits.bouncePercent / 100 : limits.complaintsPerThousand / 1000,
    ],
    findings: (rows: Array<{ count: number; sent: number }>) =>
      rows.map(({ count, sent }) =>
        all(
          `${count} of ${sent} emails of the last day ${bounces ? 'bounced' : 'were reported as spam'} (${percent(count, sent)}).`,
        ),
      ),
    prometheus: null,
  };
};

const late: DatabaseAlert = {
  id: 'late',
  severity: 'page',
  condition:
    'Within a quarter of an hour three emails of a type expired before they were sent, or three of the latest codes and links took longer than `alerts.lateMs`.',
  action: 'Give the type a higher priority or a route of its own, or start more workers.',
  page: 'emails',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.LATE,
  parameters: (limits) => [seconds(limits.lateMs)],
  findings: (rows: Array<{ type: string; expired: number; late: number }>, limits) =>
    rows.map(({ type, expired, late: slow }) => ({
      subject: type,
      tenant: null,
      sentence:
        expired > 0
          ? `${expired} emails of the type ${type} expired before they were sent, within a quarter of an hour.`
          : `${slow} of the latest emails of the type ${type} took longer than ${spoken(seconds(limits.lateMs))}.`,
    })),
  prometheus: {
    name: 'PostriderSlowDelivery',
    expr: `histogram_quantile(0.99, sum by (le) (rate(email_delivery_seconds_bucket[10m]))) > ${seconds(lateMs)}`,
    for: '10m',
    summary: 'One email in a hundred takes longer than two minutes from acceptance to its provider.',
  },
};

const webhookFailing: DatabaseAlert = {
  id: 'webhook-failing',
  severity: 'ticket',
  condition: 'Nothing has reached a webhook endpoint for `alerts.webhookMs`.',
  action:
    'Its deliveries in the dashboard show what was answered; it is turned off after POSTRIDER_WEBHOOK_DISABLE_AFTER.',
  page: 'webhooks',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.WEBHOOK_FAILING,
  parameters: (limits) => [seconds(limits.webhookMs)],
  findings: (rows: Array<{ id: string; tenant: string; failing: number }>) =>
    rows.map(({ id, tenant, failing }) => ({
      subject: id,
      tenant,
      sentence: `A webhook endpoint of ${tenant} has answered nothing good for ${spoken(failing)}.`,
    })),
  prometheus: null,
};

const scheduleMissed: ProcessAlert = {
  id: 'schedule-missed',
  severity: 'page',
  condition: 'The time of a schedule passed and no run began.',
  action: 'Is a process with the role `scheduler` alive? `postrider schedules run` starts the run by hand.',
  page: 'schedules',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'process',
  findings: ({ missedSchedules }) =>
    missedSchedules.map(({ name, dueAt }) => ({
      subject: name,
      tenant: null,
      sentence: `The schedule ${name} was due at ${dueAt.toISOString()} and did not begin.`,
    })),
  prometheus: null,
};

const scheduleStuck: DatabaseAlert = {
  id: 'schedule-stuck',
  severity: 'ticket',
  condition: 'A run of a schedule failed within the last day, or cannot go on after three tries.',
  action: 'The page of the schedule shows the error of the run.',
  page: 'schedules',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'database',
  sql: sql.SCHEDULE_STUCK,
  parameters: () => [],
  findings: (rows: Array<{ schedule: string; state: string; error: string | null }>) =>
    rows.map(({ schedule, state, error }) => ({
      subject: schedule,
      tenant: null,
      sentence: `A run of the schedule ${schedule} ${state === 'failed' ? 'failed' : 'cannot go on'}: ${quoted(error)}.`,
    })),
  prometheus: null,
};

const acceptingFails: ProcessAlert = {
  id: 'accepting-fails',
  severity: 'page',
  condition: 'The store failed calls that hand in emails, within the last five minutes.',
  action: 'Look at the disk and the log of the database; callers got an error and must repeat.',
  page: '',
  holdMs: () => 0,
  reads: 'process',
  findings: ({ accepting }) =>
    accepting
      ? [
          all(
            `The store failed ${accepting.failures} calls that hand in emails within five minutes: ${quoted(accepting.message)}.`,
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

const databaseAway: ProcessAlert = {
  id: 'database-away',
  severity: 'page',
  condition: 'A process cannot use its database.',
  action:
    'Bring the database back; `postrider doctor` says what is wrong. Nothing is accepted or sent until then.',
  page: '',
  holdMs: ({ holdMs }) => holdMs,
  reads: 'process',
  findings: ({ databaseAway: reason }) =>
    reason === null ? [] : [all(`The database cannot be used: ${quoted(reason)}.`)],
  prometheus: {
    name: 'PostriderQueueUnseen',
    expr: 'absent(email_queue_oldest_due_seconds)',
    for: '5m',
    summary: 'No process can read the queue; is the database away?',
  },
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
  webhookFailing,
  scheduleMissed,
  scheduleStuck,
  acceptingFails,
  databaseAway,
];

export const DATABASE_AWAY = databaseAway;

function percent(part: number, whole: number): string {
  return `${Math.round((part / whole) * 1000) / 10} %`;
}
