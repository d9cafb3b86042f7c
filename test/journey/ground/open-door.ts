import pg from 'pg';
import { createHttpApp, startHttpServer } from '../../../src/doors/http/index.js';
import { httpRooms } from '../../../src/http-rooms.js';
import { type ConfigOverrides, createPostrider, type Postrider } from '../../../src/index.js';
import { createLogger, silentLogger, systemClock } from '../../../src/kernel/index.js';
import { createTestDatabase, type TestDatabase } from '../../services/index.js';
import { checkAnswer } from './check-answer.js';
import { type ScriptedProvider, scriptedProvider } from './scripted-provider.js';

/** A Postrider behind its HTTP door with an operator's key, and whatever is needed to knock at it. */
export interface Door {
  postrider: Postrider;
  provider: ScriptedProvider;
  pool: pg.Pool;
  database: TestDatabase;
  url: string;
  /** Every line Postrider logged. */
  lines: string[];
  app: ReturnType<typeof createHttpApp>;
  /** Throws where the answer is not what the description of the API says of it. */
  call(method: string, path: string, options?: Knock): Promise<Answer>;
  close(): Promise<void>;
}

export interface Knock {
  body?: unknown;
  /** Instead of JSON; its type goes into the headers. */
  raw?: string;
  /** A bearer token; `ROOT` by default, null for none. */
  as?: string | null;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look at whatever comes
  body: any;
  text: string;
  headers: Headers;
}

export const ROOT = 'the-operators-own-key';

export async function openDoor(
  options: { database?: TestDatabase; config?: ConfigOverrides; trustedProxies?: number } = {},
): Promise<Door> {
  const database = options.database ?? (await createTestDatabase());
  const provider = scriptedProvider();
  const lines: string[] = [];
  const postrider = createPostrider({
    database: database.url,
    provider,
    from: { address: 'noreply@example.com' },
    logger: createLogger({ level: 'debug', destination: { write: (line) => lines.push(line) } }),
    config: { ...options.config, worker: { pollIntervalMs: 100, ...options.config?.worker } },
  });
  await postrider.ready();
  const app = createHttpApp({
    rooms: httpRooms(postrider),
    logger: silentLogger,
    clock: systemClock,
    apiKey: ROOT,
    access: postrider.access,
    trustedProxies: options.trustedProxies ?? 0,
    bodyLimitBytes: 1024 ** 2,
  });
  const server = await startHttpServer({ app, host: '127.0.0.1', port: 0 });
  const pool = new pg.Pool({ connectionString: database.url, max: 4 });
  pool.on('error', () => undefined); // dropping the database at the end ends idle sessions
  const url = `http://127.0.0.1:${server.port}`;
  return {
    postrider,
    provider,
    pool,
    database,
    url,
    lines,
    app,
    async call(method, path, { body, raw, as = ROOT, headers = {} } = {}) {
      const answer = await fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...(as !== null && { Authorization: `Bearer ${as}` }),
          ...headers,
        },
        ...(raw !== undefined ? { body: raw } : body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const isJson = /[/+]json/.test(answer.headers.get('content-type') ?? '');
      const told = {
        status: answer.status,
        body: isJson ? JSON.parse(text) : null,
        text,
        headers: answer.headers,
      };
      const wrong = checkAnswer(method, path, told);
      if (wrong !== null) throw new Error(wrong);
      return told;
    },
    async close() {
      await server.stop({ deadlineMs: 1000 });
      await postrider.stop({ deadlineMs: 2000 });
      await pool.end();
      if (!options.database) await database.drop();
    },
  };
}
