import type { Config } from './config.js';
import { type Clock, type Logger, type Mailbox, PostriderError, parseMailbox } from './kernel/index.js';
import {
  checkProvider,
  createConfiguredProvider,
  createRouteTable,
  DEFAULT_ROUTE,
  type Provider,
  parseRoutes,
  type Route,
  type RouteInput,
  type RouteSettings,
  type RouteTable,
} from './providers/index.js';

/**
 * The ways out of one Postrider: those given in code, else those configured, else the one that
 * EMAIL_MODE names. A single provider given in code is the only way, whatever is configured.
 */
export function assembleRoutes(
  config: Config,
  options: { routes?: readonly RouteInput[]; provider?: Provider; clock: Clock; logger: Logger },
): RouteTable {
  const { clock, logger, provider } = options;
  if (provider) checkProvider(provider, 'provider');
  const settings = provider ? null : options.routes ? parsed(options.routes) : config.routes;
  if (!settings) {
    const only = provider ?? createConfiguredProvider(config, { clock, logger });
    return createRouteTable([{ name: DEFAULT_ROUTE, provider: only }]);
  }
  return createRouteTable(settings.map((route) => asRoute(route, config, { clock, logger })));
}

/** Real mail never leaves with an invented sender; what is only printed may have one. */
export function defaultSender(config: Config, given?: Mailbox): Mailbox | null {
  if (given) return parseMailbox(given, 'from');
  const printed = config.routes
    ? config.routes.every((route) => route.account?.email.mode === 'console')
    : config.email.mode === 'console';
  const address = config.email.fromEmail ?? (printed ? 'noreply@example.com' : null);
  return address === null ? null : parseMailbox({ address, name: config.email.fromName }, 'SMTP_FROM_EMAIL');
}

function parsed(routes: readonly RouteInput[]): readonly RouteSettings[] {
  const result = parseRoutes(routes);
  if (result.ok) return result.value;
  throw new PostriderError('INVALID_CONFIG', `routes ${result.reason}.`, { field: 'routes' });
}

function asRoute(
  { account, provider, ...route }: RouteSettings,
  config: Config,
  tools: { clock: Clock; logger: Logger },
): Route {
  if (provider) {
    checkProvider(provider, `routes.${route.name}.provider`);
    return { ...route, provider };
  }
  if (!account) throw new PostriderError('INVALID_CONFIG', `The route ${route.name} has no account.`);
  // A key belongs to the sender's domain, not to the way taken.
  const dkim = account.dkim.domain === null ? config.dkim : account.dkim;
  return { ...route, provider: createConfiguredProvider({ ...account, dkim }, tools) };
}
