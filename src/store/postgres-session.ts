import type { Session, Statement } from './database.js';
import pg from './node-postgres.js';
import {
  connectionOptions,
  connectWithinMs,
  hidden,
  type PostgresOptions,
  promptClient,
  run,
} from './postgres-client.js';
import { asStoreError } from './store-errors.js';

const SESSION_QUERY_TIMEOUT_MS = 5000;

/**
 * Keepalives of 2/1/3 s let the server notice a cut-off worker in five seconds instead of two hours.
 */
export async function openSession(
  pool: pg.Pool,
  { url, patienceMs }: Pick<PostgresOptions, 'patienceMs'> & { url?: string },
  { how, onAnswer }: { how: { prepare: boolean; ours: boolean }; onAnswer(): void },
): Promise<Session> {
  const settings = url
    ? connectionOptions({ url, patienceMs })
    : { ...pool.options, ...hidden(pool.options), max: undefined };
  const Client = promptClient(connectWithinMs({ patienceMs }));
  const client = new Client({
    ...settings,
    query_timeout: SESSION_QUERY_TIMEOUT_MS,
    application_name: 'postrider-session',
  });
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
    await client.query(
      "select set_config('tcp_keepalives_idle', '2', false), set_config('tcp_keepalives_interval', '1', false), set_config('tcp_keepalives_count', '3', false)",
    );
  } catch (error) {
    closing = true;
    client.end().catch((failure: Error) => lose(failure));
    throw asStoreError(error);
  }
  return {
    embedded: false,
    async query<Row>(statement: Statement | string, values?: readonly unknown[]) {
      const result = await run<Row>(client, statement, values, how);
      onAnswer();
      return result;
    },
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
