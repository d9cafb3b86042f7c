import { z } from 'zod';
import {
  didYouMean,
  explain,
  type Parsed,
  resolveSettings,
  type Settings,
  setting,
} from '../kernel/index.js';
import { findRouteProblem } from './choose-route.js';
import type { Provider } from './provider.js';
import type { Route } from './route.js';
import { type ProviderConfig, providerRules, providerSettings } from './settings.js';

/**
 * Routes as they are written down: a name, a mode with the settings of that mode under its own name,
 * and whom the route serves how fast. Refuses what it does not know, with what was probably meant.
 * A route takes nothing from the environment, so that two of one mode cannot mix.
 */
export const routeSettings = {
  routes: setting.structure<readonly RouteSettings[]>({
    env: ['POSTRIDER_ROUTES'],
    default: null,
    form: 'a list of routes',
    says: 'Several ways out, each with a name and an account of its own, instead of `email.mode`; see ROUTES.md.',
    parse: parseRoutes,
    show: showRoutes,
  }),
} satisfies Settings;

export interface RouteSettings extends Omit<Route, 'provider'> {
  /** Given in code, instead of an account. */
  provider?: Provider;
  account: ProviderConfig | null;
}

/** A route in `createPostrider({ routes })`: with a provider of your own, or a mode with its settings. */
export type RouteInput = Omit<Route, 'provider'> &
  ({ provider: Provider } | ({ mode: ProviderConfig['email']['mode'] } & AccountInput));

type AccountInput = {
  readonly [G in Exclude<keyof ProviderConfig, 'email'>]?: Partial<ProviderConfig[G]>;
};

export function parseRoutes(raw: unknown): Parsed<readonly RouteSettings[]> {
  if (!Array.isArray(raw) || raw.length === 0) return { ok: false, reason: 'must be a list of routes' };
  const reasons: string[] = [];
  const routes = raw.flatMap((entry: unknown, index) => {
    const parsed = parseRoute(entry);
    if ('route' in parsed) return [parsed.route];
    reasons.push(...parsed.problems.map((problem) => `[${index}]${problem}`));
    return [];
  });
  const problem = reasons.length === 0 ? findRouteProblem(routes) : null;
  if (problem !== null) reasons.push(problem);
  return reasons.length > 0 ? { ok: false, reason: reasons.join('; ') } : { ok: true, value: routes };
}

const words = z.array(z.string().min(1)).min(1);
const rate = z.number().positive().max(100_000);

const SHAPE = z.object({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be letters, digits, dots, hyphens'),
  weight: z.number().min(0).max(1_000_000).optional(),
  companies: words.optional(),
  types: words.optional(),
  regions: words.optional(),
  ratePerSecond: rate.optional(),
  domainRates: z.record(z.string().regex(/^[^\s@.]+(?:\.[^\s@.]+)+$/, 'must be a domain'), rate).optional(),
  maxConcurrency: z.number().int().min(1).max(1000).optional(),
  onAccountFailure: z.enum(['pause', 'fail']).optional(),
});

type Shaped = { route: RouteSettings } | { problems: string[] };

function parseRoute(entry: unknown): Shaped {
  if (typeof entry !== 'object' || entry === null) return { problems: [' must be an object'] };
  const { provider, mode, ...rest } = entry as Record<string, unknown>;
  const groups = [mode, 'dkim'].filter(isGroup);
  const known = [...Object.keys(SHAPE.shape), 'mode', 'provider', ...groups];
  const problems = Object.keys(rest)
    .filter((key) => !known.includes(key))
    .map((key) => {
      const meant = didYouMean(key, known);
      return `.${key} is not a setting of a route${meant ? `, did you mean ${meant}` : ''}`;
    });
  const shape = SHAPE.safeParse(rest);
  if (!shape.success) problems.push(...shape.error.issues.map(described));
  if (provider !== undefined) {
    if (!isProvider(provider) || mode !== undefined)
      problems.push('.provider must be a provider, without a mode');
    else if (shape.success && problems.length === 0)
      return { route: { ...shape.data, provider, account: null } };
    return { problems };
  }
  const account = resolveSettings(providerSettings, {
    overrides: { email: { mode }, ...Object.fromEntries(groups.map((group) => [group, rest[group]])) },
    environment: {},
    file: null,
    rules: providerRules,
  });
  if (mode === undefined) problems.push('.mode is missing');
  if (!account.ok)
    problems.push(...account.problems.map(({ key, message }) => `.${shortKey(key)} ${message}`));
  if (!shape.success || !account.ok || problems.length > 0) return { problems };
  return { route: { ...shape.data, account: account.config } };
}

function described({ path, message }: { path: PropertyKey[]; message: string }): string {
  return `.${path.map(String).join('.')} ${message.replace(/^Invalid input: /, '').replace(/^[A-Z]/, (c) => c.toLowerCase())}`;
}

function shortKey(key: string): string {
  return key.replace(/^email\./, '');
}

function isGroup(name: unknown): name is string {
  return typeof name === 'string' && name !== 'email' && Object.hasOwn(providerSettings, name);
}

function isProvider(value: unknown): value is Provider {
  return typeof value === 'object' && value !== null && 'send' in value && typeof value.send === 'function';
}

/** What was written, secrets masked. */
function showRoutes(routes: readonly RouteSettings[]): string {
  return JSON.stringify(
    routes.map(({ account, provider, ...route }) => {
      if (!account) return { ...route, provider: provider?.name };
      const said = explain(account).filter((row) => row.source === 'options');
      return { ...route, ...Object.fromEntries(said.map(({ key, value }) => [shortKey(key), value])) };
    }),
  );
}
