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
  /** Opens a connection: a SIGKILL of its process makes the server end all others and restart itself in place. */
  openBackend(): Promise<OwnBackend>;
  /** The folder of its programs; absent where they are in a container. */
  programs?: string;
  /** Ends it and deletes its data. */
  remove(): Promise<void>;
}

export interface PostgresOptions {
  /** Fills the empty data folder; without it `initdb` does. Only for a server from programs. */
  makeData?: (folder: DataFolder) => Promise<void>;
  /** Server settings on top of ours, such as `{ shared_buffers: '32MB' }`. */
  settings?: Record<string, string>;
}

export interface DataFolder {
  /** The folder of the server's programs. */
  programs: string;
  dataDir: string;
  /** How its programs are run: where, with which environment, and as whom. */
  place: { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number };
}

/** fsync is on unless a caller says otherwise: the chaos tests rely on what a real server promises. */
export function serverSettings(options: PostgresOptions): string[] {
  const settings = { max_connections: '200', ...options.settings };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** A connection whose server process can be killed at any moment. */
export interface OwnBackend {
  /** Returns when the connection is gone. */
  kill(): Promise<void>;
}

export async function openBackend(
  url: string,
  kill: (pid: number) => void | Promise<void>,
): Promise<OwnBackend> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  const gone = new Promise<void>((resolve) => client.on('end', resolve));
  client.on('error', () => undefined); // killed on purpose
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return {
    async kill() {
      await kill(rows[0]!.pid);
      await gone;
    },
  };
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
