import pg from 'pg';
import {
  type ConfigOverrides,
  createPostrider,
  type EmailInput,
  type EmailLog,
  type Postrider,
  type Schedule,
} from '../../../src/index.js';
import { createLogger } from '../../../src/kernel/index.js';
import type { PauseScope } from '../../../src/outbox/index.js';
import { createTestDatabase, waitFor } from '../../services/index.js';
import { type ScriptedProvider, scriptedProvider } from './scripted-provider.js';

/** Postrider on a database of its own with a scripted provider, its log lines, and a second pair of eyes. */
export interface Journey {
  postrider: Postrider;
  provider: ScriptedProvider;
  /** A connection pool of the test's own. */
  pool: pg.Pool;
  url: string;
  /** Every line Postrider logged, as written. */
  lines: string[];
  untilStatus(emailId: string, status: string, timeoutMs?: number): Promise<EmailLog>;
  /** Brings the email's waiting time to an end. */
  hurry(emailId: string): Promise<void>;
  /** Returns when everything accepted has ended. */
  untilEmpty(timeoutMs?: number): Promise<void>;
  eventTypes(emailId: string): Promise<string[]>;
  /** Pauses, and returns past the quarter of a second for which a worker may act on what it read before. */
  pauseAndBeKnown(scope: PauseScope, value: string): Promise<void>;
  close(): Promise<void>;
}

export async function openJourney(
  options: { config?: ConfigOverrides; schedules?: readonly Schedule[] } = {},
): Promise<Journey> {
  const database = await createTestDatabase();
  const provider = scriptedProvider();
  const lines: string[] = [];
  const { worker, ...config } = options.config ?? {};
  const postrider = createPostrider({
    database: database.url,
    provider,
    from: { address: 'noreply@example.com' },
    logger: createLogger({ level: 'debug', destination: { write: (line) => lines.push(line) } }),
    ...(options.schedules && { schedules: options.schedules }),
    config: { ...config, worker: { pollIntervalMs: 100, ...worker } },
  });
  await postrider.ready();
  const pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on('error', () => undefined); // dropping the database at the end ends idle sessions
  return {
    postrider,
    provider,
    pool,
    url: database.url,
    lines,
    untilStatus: (emailId, status, timeoutMs = 10_000) =>
      waitFor(
        async () => {
          const log = await postrider.get(emailId);
          if (log?.status === status) return log;
          throw new Error(`it is ${log?.status ?? 'not there'}`);
        },
        { timeoutMs, what: `${emailId} to be ${status}` },
      ),
    hurry: async (emailId) => {
      await pool.query('update postrider.email_queue set due_at = clock_timestamp() where id = $1', [
        emailId,
      ]);
    },
    untilEmpty: async (timeoutMs = 30_000) => {
      await waitFor(
        async () => (await pool.query('select 1 from postrider.email_queue limit 1')).rowCount === 0,
        { timeoutMs, what: 'an empty queue' },
      );
    },
    eventTypes: async (emailId) => (await postrider.timeline(emailId)).map((event) => event.type),
    async pauseAndBeKnown(scope, value) {
      await postrider.pause(scope, value, 'for a test');
      const before = performance.now();
      await waitFor(() => performance.now() - before > 300, {
        timeoutMs: 1000,
        what: 'the pause to be read',
      });
    },
    async close() {
      await postrider.stop({ deadlineMs: 2000 });
      await pool.end();
      await database.drop();
    },
  };
}

let count = 0;

/** An email nobody else sends, so that each test finds its own. */
export function anEmail(parts: Partial<EmailInput> = {}): EmailInput & { to: string } {
  count += 1;
  return {
    to: `reader-${count}@example.net`,
    subject: `Hello ${count}`,
    html: '<p>Hello</p>',
    text: 'Hello',
    ...parts,
  } as EmailInput & { to: string };
}
