import {
  isEmailAddress,
  type SettingGroup,
  type SettingRule,
  type Settings,
  setting,
} from '../kernel/index.js';
import { ALERT_DEFAULTS, type TenantThresholds, type TypeThresholds } from './alert-defaults.js';
import { ALERTS } from './alerts.js';
import { readOwnThresholds } from './own-thresholds.js';

const MAX_MS = 30 * 24 * 3_600_000;
const IDS: readonly string[] = ALERTS.map(({ id }) => id);

const threshold = (name: string, fallback: number, says: string, min = 1000) =>
  setting.duration({ env: [name], plainUnit: 's', default: fallback, min, max: MAX_MS, says });

const thresholds = {
  holdMs: threshold(
    'POSTRIDER_ALERT_HOLD',
    ALERT_DEFAULTS.holdMs,
    'How long a condition must hold before it is told.',
    0,
  ),
  silentMs: threshold(
    'POSTRIDER_ALERT_SILENT',
    ALERT_DEFAULTS.silentMs,
    '`nothing-sent`: how long nothing may be sent while emails wait.',
    100,
  ),
  waitingMs: threshold(
    'POSTRIDER_ALERT_WAITING',
    ALERT_DEFAULTS.waitingMs,
    '`emails-wait`: how long an email of priority 1 to 3 may wait for its first attempt.',
    100,
  ),
  bulkWaitingMs: threshold(
    'POSTRIDER_ALERT_BULK_WAITING',
    ALERT_DEFAULTS.bulkWaitingMs,
    '`emails-wait`: the same for priority 4.',
    100,
  ),
  lateMs: threshold(
    'POSTRIDER_ALERT_LATE',
    ALERT_DEFAULTS.lateMs,
    '`late`: how long an email of a sensitive type, such as a code, may take until its provider has it.',
    100,
  ),
  pausedMs: threshold(
    'POSTRIDER_ALERT_PAUSED',
    ALERT_DEFAULTS.pausedMs,
    '`paused`: how old a pause of a person may be while emails wait for it.',
    0,
  ),
  routeMs: threshold(
    'POSTRIDER_ALERT_ROUTE',
    ALERT_DEFAULTS.routeMs,
    '`route-failing` and `engine-down`: how long a route or the broker may be away.',
    0,
  ),
  webhookMs: threshold(
    'POSTRIDER_ALERT_WEBHOOK_FAILING',
    ALERT_DEFAULTS.webhookMs,
    '`webhook-failing`: how long an endpoint may fail.',
    0,
  ),
  busMs: threshold(
    'POSTRIDER_ALERT_BUS',
    ALERT_DEFAULTS.busMs,
    '`bus-down` and `bus-late`: how long the event bus may be away, or an event wait for it.',
    0,
  ),
  failurePercent: percentage(
    'POSTRIDER_ALERT_FAILURE_PERCENT',
    ALERT_DEFAULTS.failurePercent,
    '`failures`: how many of a hundred emails may fail.',
  ),
  bouncePercent: percentage(
    'POSTRIDER_ALERT_BOUNCE_PERCENT',
    ALERT_DEFAULTS.bouncePercent,
    '`bounces`: how many of a hundred emails may bounce.',
  ),
  complaintsPerThousand: setting.integer({
    env: ['POSTRIDER_ALERT_COMPLAINTS_PER_THOUSAND'],
    default: ALERT_DEFAULTS.complaintsPerThousand,
    min: 0,
    max: 1000,
    says: '`complaints`: how many of a thousand emails may be reported as spam.',
  }),
  quotaPercent: setting.integer({
    env: ['POSTRIDER_ALERT_QUOTA_PERCENT'],
    default: ALERT_DEFAULTS.quotaPercent,
    min: 1,
    max: 100,
    says: '`quota`: how many hundredths of its quota a tenant may have used.',
  }),
  rateMinimum: setting.integer({
    env: ['POSTRIDER_ALERT_RATE_MINIMUM'],
    default: ALERT_DEFAULTS.rateMinimum,
    min: 1,
    max: 1_000_000,
    says: 'How many emails there must be before a rate of failures, bounces or complaints counts.',
  }),
} satisfies SettingGroup;

const RATES = {
  waitingMs: thresholds.waitingMs,
  failurePercent: thresholds.failurePercent,
  bouncePercent: thresholds.bouncePercent,
  complaintsPerThousand: thresholds.complaintsPerThousand,
  rateMinimum: thresholds.rateMinimum,
};
const OF_TENANTS = { ...RATES, webhookMs: thresholds.webhookMs, quotaPercent: thresholds.quotaPercent };
const OF_TYPES = { ...RATES, lateMs: thresholds.lateMs };

const list = (known: object) =>
  Object.keys(known)
    .map((name) => `\`${name}\``)
    .join(', ');
const isTenantName = (name: string) => name !== '' && name.length <= 200;
const isTypeName = (name: string) => /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(name);

/** How a person is told when mail stops. */
export const alertSettings = {
  alerts: {
    enabled: setting.boolean({
      env: ['POSTRIDER_ALERTS'],
      default: true,
      says: 'Whether this process watches for what stops mail and tells of it. See OPERATIONS.md.',
    }),
    off: setting.words({
      env: ['POSTRIDER_ALERTS_OFF'],
      default: null,
      form: 'names of alerts',
      fits: (word) => IDS.includes(word),
      says: 'Alerts that are not wanted.',
    }),
    webhookUrl: address(
      ['POSTRIDER_ALERT_WEBHOOK_URL'],
      'Where the beginning and the end of an alert are posted as JSON, signed by the Standard Webhooks scheme.',
    ),
    webhookSecret: setting.text({
      env: ['POSTRIDER_ALERT_WEBHOOK_SECRET'],
      default: null,
      secret: true,
      form: 'whsec_ and at least 24 bytes in base64',
      fits: isWebhookSecret,
      says: 'Signs what goes to `alerts.webhookUrl`.',
    }),
    slackUrl: address(
      ['POSTRIDER_ALERT_SLACK_URL'],
      'An incoming webhook of Slack, or of what takes the same: Mattermost, or Discord with /slack at the end.',
    ),
    emailTo: setting.words({
      env: ['POSTRIDER_ALERT_EMAIL_TO'],
      default: null,
      form: 'email addresses',
      fits: isEmailAddress,
      says: 'Who gets alerts by email; sent past the queue, by a route that is neither failing nor paused.',
    }),
    heartbeatUrl: address(
      ['POSTRIDER_ALERT_HEARTBEAT_URL'],
      'Called with GET while no alert of severity `page` is open and the database answers, for a service that tells when the calls stop.',
    ),
    heartbeatMs: threshold(
      'POSTRIDER_ALERT_HEARTBEAT_INTERVAL',
      60_000,
      'How often it is called, by all processes together.',
      100,
    ),
    intervalMs: threshold(
      'POSTRIDER_ALERT_INTERVAL',
      15_000,
      'How often the conditions are looked at, by all processes together.',
      50,
    ),
    ...thresholds,
    tenants: setting.structure<Readonly<Record<string, TenantThresholds>>>({
      env: ['POSTRIDER_ALERT_TENANTS'],
      default: null,
      form: 'an object of tenants with thresholds',
      secret: false,
      says: `Thresholds of single tenants in the place of the general ones: \`{ "acme": { "failurePercent": 10 } }\`; each of ${list(OF_TENANTS)}.`,
      parse: (raw) => readOwnThresholds<TenantThresholds>(raw, OF_TENANTS, isTenantName),
      show: (own) => JSON.stringify(own),
    }),
    types: setting.structure<Readonly<Record<string, TypeThresholds>>>({
      env: ['POSTRIDER_ALERT_TYPES'],
      default: null,
      form: 'an object of types with thresholds',
      secret: false,
      says: `The same for single types: \`{ "sign_in_code": { "lateMs": "30s" } }\`; each of ${list(OF_TYPES)}.`,
      parse: (raw) => readOwnThresholds<TypeThresholds>(raw, OF_TYPES, isTypeName),
      show: (own) => JSON.stringify(own),
    }),
  },
} satisfies Settings;

export const alertRules: readonly SettingRule[] = [
  {
    key: 'alerts.webhookSecret',
    reads: ['alerts.webhookUrl', 'alerts.webhookSecret'],
    broken: (get) =>
      get('alerts.webhookUrl') !== null && get('alerts.webhookSecret') === null
        ? 'is missing, and what goes to POSTRIDER_ALERT_WEBHOOK_URL is signed with it'
        : null,
  },
  ...(['alerts.webhookUrl', 'alerts.slackUrl', 'alerts.heartbeatUrl'] as const).map(
    (key): SettingRule => ({
      key,
      reads: [key, 'webhooks.allowPrivate'],
      broken: (get) =>
        String(get(key)).startsWith('http://') && get('webhooks.allowPrivate') !== true
          ? 'must start with https://, unless POSTRIDER_WEBHOOK_ALLOW_PRIVATE is set'
          : null,
    }),
  ),
];

/** Whoever knows its path may post there, so the path is a secret too. */
function address(env: readonly string[], says: string) {
  return {
    ...setting.url({ env, default: null, schemes: ['https', 'http'], says }),
    show: (value: string | null) => (value === null ? '–' : `${new URL(value).origin}/…`),
  };
}

function percentage(name: string, fallback: number, says: string) {
  return setting.integer({ env: [name], default: fallback, min: 0, max: 100, says });
}

function isWebhookSecret(text: string): boolean {
  const [, key] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  return key !== undefined && Buffer.from(key, 'base64').length >= 24;
}
