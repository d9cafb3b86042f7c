import { examineEngine } from './assemble-engine.js';
import { defaultSender } from './assemble-routes.js';
import type { Config } from './config.js';
import type { Finding } from './doors/cli/application.js';
import { isPostriderError, messageOf, PostriderError } from './kernel/index.js';
import type { Postrider } from './postrider.js';
import { checkSchema } from './store/index.js';

/**
 * Looks at everything delivery needs, one finding each, and says what to do about the bad ones. It changes nothing:
 * what is missing is told, not made.
 */
export async function examine({ config, postrider, fresh, region }: Examined): Promise<Finding[]> {
  const findings: Finding[] = [];
  const look = async (what: string, examination: () => Promise<string | Note>): Promise<boolean> => {
    const check = region === undefined ? what : `${what} of ${region}`;
    try {
      const seen = await examination();
      findings.push(
        typeof seen === 'string'
          ? { check, ok: true, message: seen }
          : { check, ok: true, note: true, ...seen },
      );
      return true;
    } catch (error) {
      const more = isPostriderError(error) ? { help: error.help, code: error.code } : {};
      findings.push({ check, ok: false, message: messageOf(error), ...more });
      return false;
    }
  };
  let embedded = false;
  const opened = await look('store', async () => {
    if (fresh)
      return {
        message: `nothing in ${config.database.dataDir} yet`,
        help: 'It is made at the first start or with the first email.',
      };
    const database = await postrider.connect();
    embedded = database.kind === 'pglite';
    const { rows } = await database.query<{ version: string; number: number }>(
      `select current_setting('server_version') as version, current_setting('server_version_num')::int as number`,
    );
    const { version = '', number = 0 } = rows[0] ?? {};
    if (number < OLDEST_SERVER) throw new Error(`PostgreSQL ${version} is too old; 14 or later is needed.`);
    return `${embedded ? 'embedded' : 'PostgreSQL'} ${version}`;
  });
  if (opened && !fresh && !embedded) await look('connections', () => examineConnections(config, postrider));
  // Without a store the rest of it would only fail for the same reason.
  const current = opened && !fresh && (await look('schema', () => examineSchema(postrider)));
  await look('engine', () => examineEngine(config));
  if (region !== undefined) {
    if (current) await look('workers', () => examineWorkers(postrider));
    return findings;
  }
  for (const { name, provider } of postrider.routes) {
    await look(postrider.routes.length === 1 ? 'provider' : `route ${name}`, async () => {
      const report = await provider.testConnection();
      if (!report.ok) throw new Error(report.message);
      if (provider.name === 'console')
        return { message: CONSOLE_ONLY, help: 'Set SMTP_HOST or EMAIL_MODE to send.' };
      return `${provider.name}: ${report.message}`;
    });
  }
  await look('sender', async () => {
    if (config.email.fromEmail) return config.email.fromEmail;
    if (defaultSender(config)) return 'none set; emails are only printed';
    throw new Error(NO_SENDER);
  });
  await look('brand', async () => {
    const names = [...new Set((config.brands ?? []).flatMap(({ name }) => name ?? []))];
    if (names.length > 0) return names.join(', ');
    return {
      message: 'none; the built-in emails carry example names and addresses',
      help: 'Set brands (docs/CONTENT.md) before people get them.',
    };
  });
  if (current) await look('workers', () => examineWorkers(postrider));
  if (current) await look('alerts', () => examineAlerts(config, postrider));
  const owed = current ? await postrider.waitingForBus() : null;
  if (owed !== null)
    await look('bus', async () => {
      if (config.bus.url !== null) return `${owed} events wait for it`;
      return { message: `${owed} events wait for a bus that is not configured`, help: LEFT_BUS };
    });
  return findings;
}

/** For the log of a process that starts: what would otherwise be noticed when an email does not arrive. */
export function startWarnings(config: Config, postrider: Pick<Postrider, 'routes'>): string[] {
  const printed = postrider.routes.some(({ provider }) => provider.name === 'console');
  const leaves = postrider.routes.some(({ provider }) => provider.name !== 'console');
  return [
    ...(printed ? [CONSOLE_ONLY] : []),
    ...(defaultSender(config) ? [] : [NO_SENDER]),
    ...(leaves && config.unsubscribe.publicUrl === null ? [NO_LINKS] : []),
    ...(leaves && config.limits.hashKey === null ? [NO_HASH_KEY] : []),
  ];
}

interface Examined {
  config: Config;
  postrider: Postrider;
  /** Whether the embedded store has yet to be made. */
  fresh: boolean;
  /** One of several: its store alone, since the rest is the same in all. */
  region?: string;
}

/** Fine, but something to know about. */
type Note = Pick<Finding, 'message' | 'help'>;

const OLDEST_SERVER = 140_000;
const NO_SECOND_CONNECTION =
  'the server has no second connection left, so it is not known whether a pooler shares them';
const CONSOLE_ONLY = 'console: nothing leaves this machine, emails count as sent';
const NO_LINKS =
  'emails people can refuse carry no link to unsubscribe: set POSTRIDER_PUBLIC_URL and POSTRIDER_LINK_KEYS.';
const NO_HASH_KEY =
  'hashes of addresses have no key, so whoever reads the database can test guesses: set POSTRIDER_HASH_KEY now, since setting it later makes erased suppressions unfindable.';
const LEFT_BUS = 'Set POSTRIDER_BUS_URL, or run `postrider bus off`.';
const NO_SENDER = 'no default sender: set SMTP_FROM_EMAIL, or name from in every email.';

async function examineSchema(postrider: Postrider): Promise<string> {
  const database = await postrider.connect();
  const { rows } = await database.query<{ missing: boolean }>(
    `select to_regnamespace('postrider') is null as missing`,
  );
  if (rows[0]?.missing) throw new PostriderError('STORE_NOT_MIGRATED', 'missing; run postrider migrate');
  return `at ${await checkSchema(database.prompt())}, up to date`;
}

/** Nothing is sent by it: `postrider alerts test` does. */
async function examineAlerts({ alerts }: Config, postrider: Postrider): Promise<string | Note> {
  if (!alerts.enabled)
    return { message: 'off', help: 'Set POSTRIDER_ALERTS=true to be told when mail stops.' };
  const ways = [
    ...(alerts.webhookUrl === null ? [] : ['webhook']),
    ...(alerts.slackUrl === null ? [] : ['slack']),
    ...(alerts.emailTo === null ? [] : ['email']),
    ...(alerts.heartbeatUrl === null ? [] : ['heartbeat']),
  ];
  const [first, ...others] = (await postrider.alerts.list()).filter(({ endedAt }) => endedAt === null);
  if (first)
    return {
      message: `${first.alert}: ${first.sentence}${others.length > 0 ? ` And ${others.length} more.` : ''}`,
      help: first.action,
    };
  if (ways.length === 0)
    return {
      message: 'nobody is told',
      help: 'Set POSTRIDER_ALERT_WEBHOOK_URL or another way (docs/OPERATIONS.md).',
    };
  return `none open; told by ${ways.join(', ')}`;
}

/** Tried with two connections, since a pooler does not say that it is one. */
async function examineConnections(config: Config, postrider: Postrider): Promise<string | Note> {
  const database = await postrider.connect();
  const { prepare } = config.database;
  const found = await database.pooling();
  if (!found)
    return { message: NO_SECOND_CONNECTION, help: 'Allow more, or lower POSTRIDER_DATABASE_POOL_SIZE.' };
  if (prepare && !found.keepsStatements)
    throw new PostriderError('STORE_STATEMENT_LOST', 'a connection pooler does not keep prepared statements');
  const statements = prepare ? 'prepared statements are kept' : 'statements are not prepared';
  if (!found.shared) return `direct, or a pooler in session mode; ${statements}`;
  return {
    message: `a connection pooler shares them between transactions; ${statements}`,
    help: `Workers hear no NOTIFY through it: they look every ${config.worker.pollIntervalMs} ms, and emails of a killed one wait 30 seconds (docs/OPERATIONS.md).`,
  };
}

async function examineWorkers(postrider: Postrider): Promise<string | Note> {
  const { workers, pauses } = await postrider.overview();
  const alive = workers.filter((worker) => worker.alive).length;
  const held = pauses.map((pause) => [pause.scope, pause.value].filter(Boolean).join(':'));
  const message = `${alive} alive${held.length > 0 ? `; paused: ${held.join(', ')}` : ''}`;
  if (alive === 0) return { message, help: 'Nothing is sent before `postrider serve` runs.' };
  if (held.length > 0) return { message, help: `\`postrider resume ${held[0]}\` lets it go on.` };
  return message;
}
