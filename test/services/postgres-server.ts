import { Client } from 'pg';

/** One PostgreSQL server of our own that a test may stop, kill and start again on the same port. */
export interface PostgresServer {
  /** The superuser's URL of the database `postgres`. */
  url: string;
  /** As the server sees it; in a container, a path inside it. */
  dataDir: string;
  /** Where it came from, for people. */
  origin: string;
  /** Starts it again; returns when it takes connections. Nothing happens when it runs. */
  start(): Promise<void>;
  /** `fast` ends sessions and writes a checkpoint; `immediate` is a crash as far as the data is concerned. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** SIGKILL to the server's first process. */
  kill(): Promise<void>;
  /** Ends it and deletes its data. */
  remove(): Promise<void>;
}

export interface PostgresOptions {
  /** Server settings on top of ours, such as `{ shared_buffers: '32MB' }`. */
  settings?: Record<string, string>;
}

/** fsync is on unless a caller says otherwise: the chaos tests rely on what a real server promises. */
export function serverSettings(options: PostgresOptions): string[] {
  const settings = { max_connections: '200', ...options.settings };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Runs one statement on a connection of its own. */
export async function queryOnce<R extends object>(url: string, text: string): Promise<R[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined); // a lost connection also rejects the query below
  await client.connect();
  try {
    return (await client.query<R>(text)).rows;
  } finally {
    await client.end();
  }
}
