import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type Config,
  checkConfig,
  configurationDocument,
  explain,
  loadConfig,
  withChanges,
} from './config.js';
import { BUS_EVENTS } from './events/webhook-events.js';

function load(env: Record<string, string> = {}, rest: Parameters<typeof loadConfig>[0] = {}): Config {
  return loadConfig({ env, file: null, ...rest });
}

function problems(env: Record<string, string>, development = false): string[] {
  const checked = checkConfig({ env, file: null, development });
  return checked.ok ? [] : checked.problems.map((problem) => `${problem.key}: ${problem.message}`);
}

it('an empty environment → the documented defaults', () => {
  expect(load()).toEqual({
    http: {
      port: 3400,
      host: '127.0.0.1',
      apiKey: null,
      trustedProxies: 0,
      bodyLimitBytes: 16_777_216,
      maxConnections: 2000,
      maxConnectionsPerAddress: 1000,
      resendRequestsPerSecond: 1000,
    },
    submission: {
      ...{ port: 587, host: '127.0.0.1', name: null },
      ...{
        certificateFile: null,
        keyFile: null,
        allowPlain: false,
        maxMessageBytes: 16_777_216,
        maxRecipients: 100,
      },
      ...{
        maxConnections: 500,
        maxUnauthenticatedPerAddress: null,
        maxConnectionsPerKey: 20,
        messagesPerMinute: 600,
      },
    },
    access: {
      strictSenders: false,
      sessionIdleMs: 1_800_000,
      sessionMaxMs: 43_200_000,
      secretKeys: null,
      userTokenKey: null,
    },
    brands: null,
    database: {
      url: null,
      dataDir: '.postrider',
      region: null,
      prepare: true,
      poolSize: 10,
      patienceMs: 800,
    },
    email: {
      mode: 'console',
      fromEmail: null,
      fromName: null,
      defaultCompany: 'default',
      maxAttachmentBytes: 10 * 1024 ** 2,
      redirectAllTo: null,
      allowedDomains: null,
    },
    regions: null,
    routes: null,
    smtp: { host: null, port: 587, username: null, password: null, requireTls: false, maxConnections: 20 },
    render: { sourceMode: 'database', types: null, appUrl: null },
    limits: { enabled: true, unlimited: null, hashKey: null },
    retention: { contentDays: 30, logDays: 90, sentBodyHours: null, sensitiveBodyHours: 24 },
    recipients: { activityDays: 400 },
    unsubscribe: { publicUrl: null, keys: null },
    worker: {
      enabled: true,
      batchSize: 600,
      pollIntervalMs: 5000,
      concurrency: 96,
      inFlightBytes: 1_048_576,
      sendTimeoutMs: 30_000,
      stopDeadlineMs: 30_000,
    },
    engine: { name: 'postgres', prefetch: 500, window: 2000, ringAgainMs: 30_000 },
    redis: { url: 'redis://127.0.0.1:6379', prefix: 'bull' },
    rabbitmq: { url: null, hosts: null, queueType: 'classic' },
    retry: { preset: 'gateway', maxAttempts: null },
    resend: { apiKey: null, baseUrl: 'https://api.resend.com' },
    ses: { region: null, configurationSet: null, endpoint: null },
    dkim: { domain: null, selector: null, keyFile: null },
    schedules: {
      builtIn: ['weekly_focus', 'checkin_reminder', 'streak_warning', 'inactivity'],
      own: null,
      timeZone: 'UTC',
      weeklyFocusDay: 'monday',
      weeklyFocusHour: 9,
      reminderHour: 18,
      streakWarningHour: 20,
      inactivityDay: 'wednesday',
      inactivityHour: 10,
    },
    hooks: { sesTopics: null, resendSecrets: null },
    webhooks: {
      allowPrivate: false,
      timeoutMs: 15_000,
      concurrency: 5,
      disableAfterMs: 432_000_000,
      keepDays: 30,
    },
    bus: {
      ...{ url: null, service: 'postrider', publish: true, events: BUS_EVENTS, emails: null },
      ...{ prefetch: 10, maxRetries: 10, retryDelayMs: 5000, timeoutMs: 5000, keepDays: 30 },
    },
    alerts: {
      ...{ enabled: true, off: null, emailTo: null, webhookUrl: null, webhookSecret: null, slackUrl: null },
      ...{ heartbeatUrl: null, heartbeatMs: 60_000, intervalMs: 15_000, holdMs: 60_000 },
      ...{ silentMs: 300_000, waitingMs: 600_000, bulkWaitingMs: 21_600_000, lateMs: 120_000 },
      ...{ pausedMs: 3_600_000, routeMs: 300_000, webhookMs: 3_600_000, busMs: 300_000 },
      ...{ failurePercent: 5, bouncePercent: 5, complaintsPerThousand: 3, rateMinimum: 50 },
      ...{ quotaPercent: 90, tenants: null, types: null },
    },
    dev: { smtpPort: 1025 },
    log: { level: 'info' },
    instance: { name: expect.any(String) },
  });
});

it('types → follow from the declarations', () => {
  expectTypeOf<Config['smtp']['host']>().toEqualTypeOf<string | null>();
  expectTypeOf<Config['smtp']['port']>().toEqualTypeOf<number>();
  expectTypeOf<Config['email']['mode']>().toEqualTypeOf<'console' | 'smtp' | 'resend' | 'ses'>();
  expectTypeOf<Config['worker']['enabled']>().toEqualTypeOf<boolean>();
  expectTypeOf<Config['worker']['batchSize']>().toEqualTypeOf<number>();
  expectTypeOf<Config['retry']['maxAttempts']>().toEqualTypeOf<number | null>();
  expectTypeOf<Config['instance']['name']>().toEqualTypeOf<string>();
});

it("the sources' names → all work, with their own forms", () => {
  const config = load({
    EMAIL_MODE: 'smtp',
    SMTP_HOST: 'mail.example.com',
    SMTP_PORT: '465',
    SMTP_USERNAME: 'user',
    SMTP_PASSWORD: 'pass',
    SMTP_FROM_ADDRESS: 'noreply@example.com',
    SMTP_FROM_NAME: 'Eve',
    EMAIL_WORKER_ENABLED: 'false',
    EMAIL_QUEUE_BATCH_SIZE: '10',
    EMAIL_QUEUE_INTERVAL_SECONDS: '30',
    EMAIL_MAX_RETRIES: '5',
    RESEND_API_KEY: 're_x',
    APP_URL: 'https://app.example.com',
    EMAIL_RATE_LIMIT_ENABLED: 'true',
    WEEKLY_FOCUS_DAY: 'friday',
    WEEKLY_FOCUS_HOUR: '7',
    REMINDER_HOUR: '19',
  });
  expect(config.email).toMatchObject({ mode: 'smtp', fromEmail: 'noreply@example.com', fromName: 'Eve' });
  expect(config.smtp).toMatchObject({ host: 'mail.example.com', port: 465, requireTls: true });
  expect(config.resend.apiKey).toBe('re_x');
  expect(config.worker).toMatchObject({ enabled: false, batchSize: 10, pollIntervalMs: 30_000 });
  expect(config.retry.maxAttempts).toBe(5);
  expect(config.schedules).toMatchObject({ weeklyFocusDay: 'friday', weeklyFocusHour: 7, reminderHour: 19 });
  expect(load({ EMAIL_WORKER_POLL_INTERVAL: '5s' }).worker.pollIntervalMs).toBe(5000);
});

it('two names for one setting → the first wins', () => {
  const env = { SMTP_FROM_ADDRESS: 'second@example.com', SMTP_FROM_EMAIL: 'first@example.com' };
  expect(load(env).email.fromEmail).toBe('first@example.com');
});

describe('what does not go together', () => {
  it('SMTP_HOST alone → smtp; smtp without a host → refused, but not in development', () => {
    expect(load({ SMTP_HOST: 'mail' }).email.mode).toBe('smtp');
    expect(problems({ EMAIL_MODE: 'smtp' })).toEqual([
      'email.mode: is smtp but no server is named; set SMTP_HOST',
    ]);
    expect(problems({ EMAIL_MODE: 'smtp' }, true)).toEqual([]);
  });
  it('a provider that is not there → refused with those that are', () => {
    expect(problems({ EMAIL_MODE: 'pigeon' })).toEqual([
      'email.mode: is "pigeon" but must be one of those available: console, smtp, resend, ses',
    ]);
  });
  it.each(['0.0.0.0', '::', '192.168.1.5', 'mail.example.com', '127.example.com'])(
    'HOST=%s without a key → refused; with a key → allowed',
    (HOST) => {
      expect(problems({ HOST })).toHaveLength(1);
      expect(problems({ HOST, POSTRIDER_API_KEY: 'k' })).toEqual([]);
    },
  );
  it.each(['localhost', '::1', '127.0.0.2'])('HOST=%s without a key → allowed', (HOST) => {
    expect(problems({ HOST })).toEqual([]);
  });
  it('a user without password or a password without user → refused', () => {
    expect(problems({ SMTP_HOST: 'm', SMTP_USERNAME: 'u' })).toHaveLength(1);
    expect(problems({ SMTP_HOST: 'm', SMTP_PASSWORD: 'p' })).toHaveLength(1);
  });
  it.each(['noreply', 'Eve <eve@example.com>', 'a@b@example.com', 'a b@example.com'])(
    'SMTP_FROM_EMAIL=%s → refused',
    (SMTP_FROM_EMAIL) => {
      expect(problems({ SMTP_FROM_EMAIL })).toHaveLength(1);
    },
  );
  it.each(['mail example', 'http://mail', 'mail/../x'])('SMTP_HOST=%s → refused', (SMTP_HOST) => {
    expect(problems({ SMTP_HOST })).toHaveLength(1);
  });
  it('logs kept shorter than content → refused', () => {
    expect(problems({ POSTRIDER_LOG_RETENTION_DAYS: '10' })).toHaveLength(1);
  });
});

it('problems → one INVALID_CONFIG whose message names each with its source', () => {
  const fault = () => load({ SMTP_PORT: 'x', POSTRIDER_DATADIR: 'y' });
  expect(fault).toThrow(
    expect.objectContaining({
      code: 'INVALID_CONFIG',
      message: `The configuration has 2 problems:
  POSTRIDER_DATADIR (environment) is not a setting; did you mean POSTRIDER_DATA_DIR?
  smtp.port (SMTP_PORT) is "x" but must be a whole number from 1 to 65535.`,
    }),
  );
});

it.each(['two\nlines', 'x'.repeat(257), 'a\u202eb'])(
  'the sender name %j → refused at the start, not with every email',
  (name) => {
    expect(problems({ SMTP_FROM_NAME: name })).toEqual([expect.stringMatching(/^email\.fromName: /)]);
  },
);

it('explain → no secret in any of its words', () => {
  const config = load({
    SMTP_HOST: 'mail',
    SMTP_USERNAME: 'u',
    SMTP_PASSWORD: 'hunter2',
    POSTRIDER_API_KEY: 'hunter2',
    DATABASE_URL: 'postgres://me:hunter2@db/app',
  });
  expect(JSON.stringify(explain(config))).not.toContain('hunter2');
  expect(explain(config).filter((row) => row.differs)).toHaveLength(5);
});

it('a setting the process decided itself → explained as what holds, with who said it', () => {
  const before = load({ SMTP_HOST: 'mail' });
  const config = withChanges(before, { unsubscribe: { publicUrl: 'http://127.0.0.1:1' } }, 'postrider dev');
  expect(config.unsubscribe.publicUrl).toBe('http://127.0.0.1:1');
  expect(before.unsubscribe.publicUrl).toBeNull();
  expect(config.smtp).toBe(before.smtp);
  const said = Object.fromEntries(explain(config).map((row) => [row.key, row]));
  expect(said['unsubscribe.publicUrl']).toMatchObject({
    ...{ value: 'http://127.0.0.1:1', source: 'postrider dev', differs: true },
  });
  expect(said['smtp.host']).toMatchObject({ value: 'mail', source: 'SMTP_HOST' });
});

it('routes → read as they are in code and as JSON in a variable, explained without their secrets', () => {
  const routes = [{ name: 'main', mode: 'resend', resend: { apiKey: 'hunter2' } }];
  const config = load({ POSTRIDER_ROUTES: JSON.stringify(routes) });
  expect(config.routes).toMatchObject([{ name: 'main', account: { resend: { apiKey: 'hunter2' } } }]);
  const row = explain(config).find(({ key }) => key === 'routes');
  expect(row).toMatchObject({ source: 'POSTRIDER_ROUTES', differs: true });
  expect(JSON.stringify(row)).not.toContain('hunter2');
  expect(problems({ POSTRIDER_ROUTES: '[{"name":"main","mode":"resend","wieght":1}]' })).toEqual([
    expect.stringContaining('routes: [0].wieght is not a setting of a route, did you mean weight'),
  ]);
});

it('docs/CONFIGURATION.md → says what the declarations say', async () => {
  await expect(configurationDocument()).toMatchFileSnapshot('../docs/CONFIGURATION.md');
});

it('an address for unsubscribe links without keys to sign them → a problem that names the keys', () => {
  expect(problems({ POSTRIDER_PUBLIC_URL: 'https://mail.example.com' })).toEqual([
    expect.stringContaining('POSTRIDER_LINK_KEYS'),
  ]);
  expect(
    problems({ POSTRIDER_PUBLIC_URL: 'https://mail.example.com', POSTRIDER_LINK_KEYS: 'too short' }),
  ).toEqual([expect.stringContaining('at least 16 characters')]);
});

it.each([
  [{ bus: { emails: { x: { type: 'welcome', to: '$data.email' } } } }, 'bus.emails', 'needs bus.url'],
  [{ bus: { url: 'http://broker' } }, 'bus.url', 'amqp'],
  [{ bus: { service: 'has space' } }, 'bus.service', 'must be'],
  [
    { bus: { url: 'amqp://broker' }, regions: { a1: 'postgres://a/a', b1: 'postgres://b/b' } },
    'bus.url',
    'each needs a broker of its own',
  ],
])('a bus that cannot be (%j) → refused at its setting', (overrides, key, reason) => {
  const checked = checkConfig({ env: {}, file: null, overrides: overrides as never });
  expect(checked).toMatchObject({ ok: false, problems: [{ key, message: expect.stringContaining(reason) }] });
});

it('the engine rabbitmq without a broker → a problem that names its URL', () => {
  const checked = checkConfig({ env: { POSTRIDER_ENGINE: 'rabbitmq' }, file: null });
  expect(checked).toMatchObject({ ok: false, problems: [{ key: 'rabbitmq.url' }] });
  expect(
    checkConfig({ env: { RABBITMQ_URL: 'amqp://broker', RABBITMQ_HOSTS: 'b:1,c:2' }, file: null }),
  ).toMatchObject({
    ok: true,
    config: { rabbitmq: { url: 'amqp://broker', hosts: ['b:1', 'c:2'], queueType: 'classic' } },
  });
});
