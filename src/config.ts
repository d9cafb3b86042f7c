import { accessSettings } from './access/settings.js';
import { alertRules, alertSettings } from './alerts/settings.js';
import { dispatchRules, dispatchSettings } from './dispatch/settings.js';
import { busRules, eventEmailSettings } from './doors/bus/settings.js';
import { hookSettings } from './doors/hooks/settings.js';
import { httpRules, httpSettings } from './doors/http/settings.js';
import { inboxSettings } from './doors/inbox/settings.js';
import { submissionSettings } from './doors/smtp/settings.js';
import { eventSettings } from './events/settings.js';
import { sharedBroker } from './in-region.js';
import { intakeSettings } from './intake/settings.js';
import {
  type ConfigProblem,
  type Environment,
  environment,
  invalidConfig,
  joinSettings,
  kernelSettings,
  type OverridesOf,
  readConfigFile,
  resolveSettings,
  type SettingRule,
  settingsDocument,
  type ValuesOf,
} from './kernel/config/index.js';
import { outboxRules, outboxSettings } from './outbox/settings.js';
import { pipelineSettings } from './pipeline/settings.js';
import { policySettings } from './policy/settings.js';
import { routeSettings } from './providers/route-settings.js';
import { providerRules, providerSettings } from './providers/settings.js';
import { recipientRules, recipientSettings } from './recipients/settings.js';
import { renderSettings } from './render/settings.js';
import { scheduleSettings } from './schedules/settings.js';
import { regionRules, regionSettings } from './store/region-settings.js';
import { storeSettings } from './store/settings.js';

/**
 * The configuration of the whole: every room's settings in one typed, frozen object.
 * Reads the environment and at most one file; returns a config without problems or throws
 * INVALID_CONFIG with all of them.
 */
export function loadConfig(input: ConfigInput = {}): Config {
  const checked = checkConfig(input);
  if (!checked.ok) throw invalidConfig(checked.problems);
  return checked.config;
}

/** The same as a value, for those who want to show the problems. */
export function checkConfig(input: ConfigInput = {}): ConfigCheck {
  const env = input.env ?? environment();
  const { file, problems } = readConfigFile(env, input.file);
  const resolved = resolveSettings(settings, {
    overrides: input.overrides,
    environment: env,
    file,
    rules: [
      ...httpRules,
      ...providerRules,
      ...outboxRules,
      ...recipientRules,
      ...regionRules,
      ...dispatchRules,
      ...busRules,
      ...alertRules,
      ...brokerRules,
    ],
    development: input.development,
  });
  if (problems.length === 0) return resolved;
  return { ok: false, problems: [...problems, ...(resolved.ok ? [] : resolved.problems)] };
}

/** The text of docs/CONFIGURATION.md. */
export function configurationDocument(): string {
  return settingsDocument(settings);
}

const settings = joinSettings(
  httpSettings,
  submissionSettings,
  intakeSettings,
  accessSettings,
  storeSettings,
  regionSettings,
  providerSettings,
  routeSettings,
  renderSettings,
  outboxSettings,
  recipientSettings,
  dispatchSettings,
  pipelineSettings,
  policySettings,
  scheduleSettings,
  eventSettings,
  eventEmailSettings,
  hookSettings,
  alertSettings,
  inboxSettings,
  kernelSettings,
);

/** Where several regions are served, each at the setting it is about. */
const brokerRules = (['rabbitmq.url', 'rabbitmq.hosts', 'redis.url', 'bus.url'] as const).map(
  (key): SettingRule => ({
    key,
    reads: ['regions', 'engine.name', 'rabbitmq.url', 'rabbitmq.hosts', 'redis.url', 'bus.url'],
    broken(get) {
      if (Object.keys((get('regions') as object | null) ?? {}).length < 2) return null;
      const shared = sharedBroker({
        engine: { name: get('engine.name') },
        rabbitmq: { url: get('rabbitmq.url'), hosts: get('rabbitmq.hosts') },
        redis: { url: get('redis.url') },
        bus: { url: get('bus.url') },
      } as Parameters<typeof sharedBroker>[0]);
      return shared?.key === key ? shared.message : null;
    },
  }),
);

export type Config = ValuesOf<typeof settings>;

export type ConfigOverrides = OverridesOf<typeof settings>;

export interface ConfigInput {
  /** What the code says; wins over everything else. */
  overrides?: ConfigOverrides;
  /** Instead of the process's own environment. */
  env?: Environment;
  /** The file to read instead of the usual one; null reads none. */
  file?: string | null;
  /** For `postrider dev`, which needs neither a key nor an SMTP server. */
  development?: boolean;
}

export type ConfigCheck = { ok: true; config: Config } | { ok: false; problems: ConfigProblem[] };

export {
  type ConfigProblem,
  describeProblem,
  type Explanation,
  explain,
  explainedAs,
  invalidConfig,
  withChanges,
} from './kernel/config/index.js';
