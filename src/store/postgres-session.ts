import type { LongStatement, Result, Session, Statement } from './database.js';
import pg from './node-postgres.js';
import type { PlannerSettings } from './planner-settings.js';
import {
  connectionOptions,
  connectWithinMs,
  hidden,
  type PostgresOptions,
  promptClient,
} from './postgres-client.js';
import { asStoreError } from './store-errors.js';

const SESSION_QUERY_TIMEOUT_MS = 5000;
const KEEPALIVES =
  "select set_config('tcp_keepalives_idle', '2', false), set_config('tcp_keepalives_interval', '1', false), set_config('tcp_keepalives_count', '3', false)";

/**
 * Keepalives of 2/1/3 s let the server notice a cut-off worker in five seconds instead of two hours.
 */
export async function openSession(
  pool: pg.Pool,
  options: ClientOptions,
  { ask, own }: { ask: Ask; own: boolean },
): Promise<Session> {
  const client = createClient(pool, options, 'postrider-session');
  let closing = false;
  let lost: Error | undefined;
  const watchers: Array<(error: Error) => void> = [];
  const lose = (error: Error) => {
    if (lost || closing) return;
    lost = error;
    for (const fn of watchers) fn(error);
  };
  client.on('error', lose);
  client.on('end', () => lose(new Error('connection ended')));
  const listeners = new Map<string, () => void>();
  client.on('notification', (message) => listeners.get(message.channel)?.());
  try {
    await client.connect();
    // Behind a pooler that shares connections they would be somebody else's.
    if (own) await client.query(KEEPALIVES);
  } catch (error) {
    closing = true;
    client.end().catch((failure: Error) => lose(failure));
    throw asStoreError(error);
  }
  return {
    embedded: false,
    query: (statement, values) => ask(client, statement, values),
    async listen(channel, onBell) {
      listeners.set(channel, onBell);
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    },
    onLost(fn) {
      if (lost) fn(lost);
      else watchers.push(fn);
    },
    async close() {
      if (closing) return;
      closing = true;
      await client.end();
    },
  };
}

/** Puts a statement to a connection. */
export type Ask = <Row>(
  client: pg.ClientBase,
  statement: Statement | LongStatement | string,
  values?: readonly unknown[],
) => Promise<Result<Row>>;

/** Without a URL it connects as the application's own pool does, and with its settings. */
export interface ClientOptions extends Pick<PostgresOptions, 'patienceMs'> {
  url?: string;
  planner?: PlannerSettings | undefined;
}

/** A connection beside the pool, to the same server, that is still to be opened. */
export function createClient(
  pool: pg.Pool,
  { url, patienceMs, planner }: ClientOptions,
  name: string,
): pg.Client {
  const settings = url
    ? connectionOptions({ url, patienceMs })
    : { ...pool.options, ...hidden(pool.options), max: undefined };
  const Client = promptClient(connectWithinMs({ patienceMs }), planner);
  return new Client({ ...settings, query_timeout: SESSION_QUERY_TIMEOUT_MS, application_name: name });
}
