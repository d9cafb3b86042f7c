import pg from 'pg';
import { snsTopic } from '../../../src/doors/hooks/sns.fixture.js';
import { signUserToken } from '../../../src/index.js';
import { createTestDatabase, freePort, type TestDatabase, waitFor } from '../../services/index.js';
import { type Broker, type Engine, openBroker } from './brokers.js';
import { type Contents, fillStore } from './fill-store.js';
import { type Answer, type Call, call } from './http-client.js';
import type { ProbeReport } from './probe.js';
import { type QuietSink, startQuietSink } from './quiet-sink.js';
import { startVictim, type Victim } from './victim.js';
import { unknownFunctions } from './ways-in/sql.js';

/**
 * What is attacked: a victim over a database of its own that holds something of every kind, a server that takes its mail,
 * and a second tenant who must never notice. A victim that died or hung is replaced with a new one on a new database.
 */
export interface Target {
  readonly port: number;
  readonly smtpPort: number;
  readonly contents: Contents;
  readonly sink: QuietSink;
  readonly pool: pg.Pool;
  readonly victim: Victim;
  readonly broker: Broker;
  /** A role of the database that may call the functions of the schema, and nothing else. */
  readonly callerRole: string;
  /** How much slower than an idle machine of ours this one is now, at least 1. */
  slowness(): Promise<number>;
  ask(options: Omit<Call, 'port'>): Promise<Answer>;
  begin(options: { collect: boolean }): Promise<ProbeReport>;
  /** Where an attack makes several requests: each is measured by itself, and the worst counts. */
  next(): Promise<void>;
  end(timeoutMs: number): Promise<ProbeReport>;
  /** Until no email waits for a worker; false where that takes too long. */
  drained(withinMs: number): Promise<boolean>;
  close(): Promise<void>;
}

export const ROOT = 'the-operators-own-key';
export const RESEND_SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
export const topic = snsTopic();
const USER_KEY = 'k'.repeat(32);
export const userToken = () => signUserToken({ userId: 'user-7', companyId: 'default' }, USER_KEY);

export async function openTarget(engine: Engine): Promise<Target> {
  const database = await createTestDatabase();
  const sink = await startQuietSink();
  const [port, smtpPort] = [await freePort(), await freePort()];
  const broker = await openBroker(engine);
  const victim = startVictim({ ...settings({ database, sink, port, smtpPort }), ...broker.settings });
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  pool.on('error', () => undefined); // dropping the database at the end ends idle sessions
  const ask = (options: Omit<Call, 'port'>) => call({ as: ROOT, ...options, port });
  await waitFor(
    async () => {
      if (!victim.running()) throw new Error(victim.output());
      return (await ask({ method: 'GET', path: '/health/ready' })).status === 200;
    },
    { timeoutMs: 60_000, what: 'the victim to be ready' },
  );
  const contents = await fillStore(ask, pool);
  const unknown = await unknownFunctions(pool);
  if (unknown.length > 0) throw new Error(`ways-in/sql.ts attacks no function ${unknown.join(', ')}`);
  const callerRole = await createCallerRole(pool, database.name);
  await victim.ask({ do: 'begin', collect: true }, 60_000);
  let before: ProbeReport | null = null;
  const begin = (collect: boolean) => victim.ask({ do: 'begin', collect }, 60_000);
  return {
    ...{ port, smtpPort, contents, sink, pool, victim, ask, broker, callerRole },
    slowness: () => slowness(victim),
    begin({ collect }) {
      before = null;
      return begin(collect);
    },
    async next() {
      before = worseOf(before, await victim.ask({ do: 'end' }, 60_000));
      await begin(true);
    },
    end: async (timeoutMs) => worseOf(before, await victim.ask({ do: 'end' }, timeoutMs)),
    drained: (withinMs) => drained(pool, withinMs),
    async close() {
      await victim.kill('the end');
      await broker.close();
      await pool.query(`drop owned by ${callerRole}`);
      await pool.query(`drop role ${callerRole}`);
      await pool.end();
      await sink.stop();
      await database.drop();
    },
  };
}

function worseOf(one: ProbeReport | null, two: ProbeReport): ProbeReport {
  if (one === null) return two;
  const larger = one.peakBytes - one.restBytes > two.peakBytes - two.restBytes ? one : two;
  return { ...larger, stallMs: Math.max(one.stallMs, two.stallMs) };
}

/** As an application's own role is set up that enqueues in its transactions. */
async function createCallerRole(pool: pg.Pool, database: string): Promise<string> {
  const role = `${database}_caller`;
  await pool.query(`create role ${role}`);
  await pool.query(`grant usage on schema postrider to ${role}`);
  await pool.query(`grant execute on function postrider.accept_v1, postrider.listen_for_bus to ${role}`);
  return role;
}

/** Neighbours on a crowded machine cost processor time too: caches, and a core that is shared. */
async function slowness(victim: Victim): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round++)
    times.push((await victim.ask({ do: 'reference' }, 60_000)).referenceMs);
  const median = times.sort((one, two) => one - two)[2]!;
  return Math.max(1, median / REFERENCE_MS);
}

/** What the probe's piece of work takes on the machine the budgets were set on. */
const REFERENCE_MS = 12;

function settings(parts: {
  database: TestDatabase;
  sink: QuietSink;
  port: number;
  smtpPort: number;
}): Record<string, string> {
  return {
    DATABASE_URL: parts.database.url,
    PORT: String(parts.port),
    POSTRIDER_API_KEY: ROOT,
    POSTRIDER_USER_TOKEN_KEY: USER_KEY,
    POSTRIDER_SECRET_KEYS: `one:${'A'.repeat(43)}=`,
    POSTRIDER_LINK_KEYS: 'a key that signs links',
    POSTRIDER_PUBLIC_URL: `http://127.0.0.1:${parts.port}`,
    POSTRIDER_LOG_LEVEL: 'error',
    EMAIL_MODE: 'smtp',
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: String(parts.sink.port),
    SMTP_FROM_EMAIL: 'noreply@example.com',
    POSTRIDER_SUBMISSION_PORT: String(parts.smtpPort),
    // Limits on how often protect against many requests; here each single one must be harmless.
    POSTRIDER_SUBMISSION_MESSAGES_PER_MINUTE: '1000000',
    POSTRIDER_RESEND_RATE: '0',
    EMAIL_RATE_LIMIT_ENABLED: 'false',
    // The server of attachments by URL is on loopback.
    POSTRIDER_WEBHOOK_ALLOW_PRIVATE: 'true',
    SES_SNS_TOPIC_ARNS: topic.topicArn,
    RESEND_WEBHOOK_SECRET: RESEND_SECRET,
    ABUSE_SNS_URL: topic.certUrl,
    ABUSE_SNS_CERTIFICATE: topic.certificate,
  };
}

async function drained(pool: pg.Pool, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (performance.now() < until) {
    const { rows } = await pool.query(
      'select from postrider.email_queue where ready or owner is not null limit 1',
    );
    if (rows.length === 0) return true;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return false;
}
