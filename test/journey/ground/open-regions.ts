import pg from 'pg';
import { createRegions, type Regions, type RegionsOptions } from '../../../src/index.js';
import { createLogger } from '../../../src/kernel/index.js';
import { createApi } from '../../../src/server.js';
import { createTestDatabase, type TestDatabase } from '../../services/index.js';
import { checkAnswer } from './check-answer.js';
import { type ScriptedProvider, scriptedProvider } from './scripted-provider.js';

/** The three regions of the source, a database each, with an API over them and everything they log. */
export interface RegionJourney {
  regions: Regions;
  provider: ScriptedProvider;
  urls: Record<Name, string>;
  pools: Record<Name, pg.Pool>;
  lines: string[];
  call(
    method: string,
    path: string,
    options?: { body?: object; as?: string; form?: string },
  ): Promise<Answer>;
  /** Every row of every table of a region, as text. */
  dump(region: Name): Promise<string>;
  /** The same databases seen by another process. */
  another(options: RegionsOptions): Regions;
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look at whatever comes
  body: any;
  location: string | null;
}

export const NAMES = ['ind1', 'usa1', 'deu1'] as const;
export type Name = (typeof NAMES)[number];
export const OPERATOR = 'the-operators-own-key';

export async function openRegions(): Promise<RegionJourney> {
  const databases = await Promise.all(NAMES.map(createTestDatabase));
  const of = <T>(make: (database: TestDatabase) => T) =>
    Object.fromEntries(NAMES.map((name, index) => [name, make(databases[index]!)])) as Record<Name, T>;
  const provider = scriptedProvider();
  const lines: string[] = [];
  const opened: Regions[] = [];
  const another = (options: RegionsOptions): Regions => {
    const made = createRegions({
      provider,
      from: { address: 'noreply@example.com' },
      logger: loggerTo(lines),
      ...options,
      config: {
        ...{ worker: { pollIntervalMs: 100 }, limits: { enabled: false } },
        unsubscribe: { publicUrl: 'http://127.0.0.1', keys: 'the key that signs links' },
        ...options.config,
      },
    });
    opened.push(made);
    return made;
  };
  const urls = of(({ url }) => url);
  const regions = another({ regions: urls, home: 'deu1' });
  for (const name of NAMES) await regions.in(name).ready();
  const pools = of(({ url }) => new pg.Pool({ connectionString: url, max: 2 }));
  for (const pool of Object.values(pools)) pool.on('error', () => undefined);
  return {
    ...{ regions, provider, urls, pools, lines, another },
    call: caller(regions, lines),
    async dump(region) {
      const { rows } = await pools[region].query<{ name: string }>(
        `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
         where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
      );
      const parts: string[] = [];
      for (const { name } of rows) {
        const found = await pools[region].query<{ row: string }>(`select t::text as row from ${name} t`);
        parts.push(...found.rows.map(({ row }) => row));
      }
      return parts.join('\n');
    },
    async close() {
      for (const one of opened) await one.stop({ deadlineMs: 2000 });
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
      await Promise.all(databases.map((database) => database.drop()));
    },
  };
}

const loggerTo = (lines: string[]) =>
  createLogger({ level: 'debug', destination: { write: (line) => lines.push(line) } });

export function caller(regions: Regions, lines: string[]): RegionJourney['call'] {
  const api = createApi(regions, { apiKey: OPERATOR, logger: loggerTo(lines) });
  return async (method, path, { body, as = OPERATOR, form } = {}) => {
    const type = body ? 'application/json' : 'application/x-www-form-urlencoded';
    const sent = form ?? (body && JSON.stringify(body));
    const answer = await api(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: { Authorization: `Bearer ${as}`, ...(sent !== undefined && { 'content-type': type }) },
        ...(sent !== undefined && { body: sent }),
      }),
    );
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
    const { status, headers } = answer;
    const told = isJson ? JSON.parse(text) : text;
    const wrong = checkAnswer(method, path, { status, body: told, text, headers });
    if (wrong !== null) throw new Error(wrong);
    return {
      status,
      body: told,
      location: answer.headers.get('location'),
    };
  };
}
