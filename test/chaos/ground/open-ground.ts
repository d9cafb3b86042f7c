import pg from 'pg';
import { createPostrider, type EmailInput, type Postrider } from '../../../src/index.js';
import { silentLogger } from '../../../src/kernel/index.js';
import { createTestDatabase, waitFor } from '../../services/index.js';
import { checkLedger } from './check-ledger.js';
import type { ChildOptions } from './child.js';
import { type RecordingSink, startRecordingSink } from './recording-sink.js';
import { type Child, spawnChild } from './spawn-child.js';
import { type Served, type ServeOptions, spawnServe } from './spawn-serve.js';

/**
 * What one chaos test stands on: a database, a sink, a caller who accepts without delivering, and the
 * processes it started. `close` ends whatever is left of them, also when the test has failed.
 */
export interface Ground {
  url: string;
  sink: RecordingSink;
  /** Accepts and never delivers. */
  caller: Postrider;
  /** Ids of everything `accept` was given. */
  accepted: string[];
  accept(emails: EmailInput[]): Promise<string[]>;
  query<Row>(sql: string, values?: unknown[]): Promise<Row[]>;
  child(options: Partial<ChildOptions>): Child;
  serve(options: Partial<ServeOptions>): Served;
  /** Waits until nothing is left to do. */
  finished(timeoutMs?: number): Promise<void>;
  /** What the ledger checker finds. */
  problems(): Promise<string[]>;
  /** Status and attempts of one email, and its events in order. */
  story(id: string): Promise<Story>;
  close(): Promise<void>;
}

export interface Story {
  status: string;
  attempts: number;
  error_code: string | null;
  possible_duplicate: boolean;
  events: string[];
}

export async function openGround(ownServerUrl?: string): Promise<Ground> {
  const database = ownServerUrl ? null : await createTestDatabase();
  const url = ownServerUrl ?? database!.url;
  const sink = await startRecordingSink();
  const pool = new pg.Pool({ connectionString: url, max: 2, connectionTimeoutMillis: 1000 });
  pool.on('error', () => undefined); // the server is stopped on purpose
  const caller = createPostrider({
    database: url,
    from: { address: 'noreply@example.com' },
    logger: silentLogger,
    config: { email: { mode: 'smtp' }, smtp: { host: '127.0.0.1', port: sink.port } },
  });
  await caller.ready();
  const accepted: string[] = [];
  const processes: Array<{ kill(signal: NodeJS.Signals): void; gone: Promise<unknown> }> = [];
  const track = <P extends (typeof processes)[number]>(process: P): P => {
    processes.push(process);
    return process;
  };
  const query = async <Row>(sql: string, values: unknown[] = []) =>
    (await pool.query(sql, values)).rows as Row[];
  return {
    url,
    sink,
    caller,
    accepted,
    query,
    async accept(emails) {
      const ids: string[] = [];
      for (let at = 0; at < emails.length; at += 1000) {
        const answers = await caller.sendBatch(emails.slice(at, at + 1000));
        ids.push(...answers.map((answer) => answer.emailId));
      }
      accepted.push(...ids);
      return ids;
    },
    child: (options) => track(spawnChild({ database: url, smtpPort: sink.port, work: true, ...options })),
    serve: (options) =>
      track(spawnServe({ roles: 'worker', databaseUrl: url, smtpPort: sink.port, ...options })),
    async finished(timeoutMs = 30_000) {
      await waitFor(async () => (await query('select 1 from postrider.email_queue limit 1')).length === 0, {
        timeoutMs,
        what: 'an empty queue',
      });
    },
    problems: () =>
      checkLedger(
        { query: async (sql, values) => ({ rows: await query(sql, values) }) },
        accepted,
        sink.taken,
      ),
    async story(id) {
      const [log] = await query<Omit<Story, 'events'>>(
        `select status::text as status, attempts, error_code, possible_duplicate
         from postrider.email_logs where id = $1`,
        [id],
      );
      const events = await query<{ type: string }>(
        'select type::text as type from postrider.email_events where email_log_id = $1 order by sequence',
        [id],
      );
      return { ...log!, events: events.map((event) => event.type) };
    },
    async close() {
      for (const process of processes) process.kill('SIGKILL');
      await Promise.all(processes.map((process) => process.gone));
      await caller.stop({ deadlineMs: 0 });
      await pool.end();
      await sink.stop();
      await database?.drop();
    },
  };
}

/** Plain emails to distinct addresses; the word starts the subject. */
export function plainEmails(count: number, word = 'plain'): EmailInput[] {
  return Array.from({ length: count }, (_, i) => ({
    to: `${word}-${i}@example.com`,
    subject: `${word} ${i}`,
    text: 'x',
  }));
}

/** A door that stays closed until it is opened. */
export function closedDoor(): { opened: Promise<void>; open(): void } {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
