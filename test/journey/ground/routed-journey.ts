import pg from 'pg';
import {
  type ConfigOverrides,
  createPostrider,
  type Outcome,
  type Postrider,
  type Provider,
  type RouteInput,
} from '../../../src/index.js';
import { createLogger } from '../../../src/kernel/index.js';
import { createTestDatabase, waitFor } from '../../services/index.js';
import { sent } from './scripted-provider.js';

/** Several Postriders on one database, each with routes whose providers answer as told and are counted. */
export interface RoutedJourney {
  pool: pg.Pool;
  /** Every email handed to a provider, in order. */
  calls: Array<{ route: string; emailId: string; to: string; at: number; headers: Record<string, string> }>;
  callsOf(route: string): RoutedJourney['calls'];
  /** What a route answers from now on. */
  answers: Map<string, Outcome | ((emailId: string) => Promise<Outcome>)>;
  provider(route: string): Provider;
  open(
    routes: ReadonlyArray<Partial<RouteInput> & { name: string }>,
    config?: ConfigOverrides,
  ): Promise<Postrider>;
  untilStatus(postrider: Postrider, emailId: string, status: string, timeoutMs?: number): Promise<void>;
  untilEmpty(timeoutMs?: number): Promise<void>;
  /** Ends the waiting time of every email. */
  hurry(): Promise<void>;
  /** Ends the time of an open circuit. */
  endOpenTime(route: string): Promise<void>;
  circuit(route: string): Promise<{ state: string; version: number }>;
  close(): Promise<void>;
}

export async function openRoutedJourney(): Promise<RoutedJourney> {
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on('error', () => undefined); // dropping the database at the end ends idle sessions
  const opened: Postrider[] = [];
  const calls: RoutedJourney['calls'] = [];
  const answers: RoutedJourney['answers'] = new Map();

  const provider = (route: string): Provider => ({
    name: `provider-${route}`,
    recognisesRepeats: true,
    async send(email) {
      const to = email.recipients[0] ?? '';
      calls.push({ route, emailId: email.id, to, at: performance.now(), headers: email.headers });
      const answer = answers.get(route) ?? sent(email.id);
      return typeof answer === 'function' ? answer(email.id) : answer;
    },
    testConnection: async () => ({ ok: true, message: 'scripted' }),
    close: async () => {},
  });

  return {
    pool,
    calls,
    callsOf: (route) => calls.filter((call) => call.route === route),
    answers,
    provider,
    async open(routes, { worker, ...config } = {}) {
      const postrider = createPostrider({
        database: database.url,
        routes: routes.map((route) => ({ ...route, provider: provider(route.name) }) as RouteInput),
        from: { address: 'noreply@example.com' },
        logger: createLogger({ level: 'silent' }),
        config: {
          ...config,
          instance: { name: `routed-${opened.length}` },
          worker: { pollIntervalMs: 100, ...worker },
        },
      });
      opened.push(postrider);
      await postrider.ready();
      return postrider;
    },
    async untilStatus(postrider, emailId, status, timeoutMs = 10_000) {
      await waitFor(
        async () => {
          const log = await postrider.get(emailId);
          if (log?.status !== status) throw new Error(`it is ${log?.status}: ${log?.lastError}`);
          return true;
        },
        { timeoutMs, what: `${emailId} to be ${status}` },
      );
    },
    async untilEmpty(timeoutMs = 20_000) {
      await waitFor(
        async () => (await pool.query('select 1 from postrider.email_queue limit 1')).rowCount === 0,
        { timeoutMs, what: 'an empty queue' },
      );
    },
    async hurry() {
      await pool.query(
        'update postrider.email_queue set due_at = clock_timestamp() where due_at is not null and owner is null',
      );
    },
    async endOpenTime(route) {
      await pool.query('update postrider.routes set open_until = clock_timestamp() where name = $1', [route]);
    },
    async circuit(route) {
      const { rows } = await pool.query<{ state: string; version: number }>(
        'select state, version from postrider.routes where name = $1',
        [route],
      );
      return rows[0]!;
    },
    async close() {
      await Promise.all(opened.map((postrider) => postrider.stop({ deadlineMs: 2000 })));
      await pool.end();
      await database.drop();
    },
  };
}
