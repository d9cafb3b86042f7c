import { PostriderError } from '../kernel/index.js';
import type pg from './node-postgres.js';

/**
 * What PostgreSQL's planner is told on the connections that Postrider opens itself. Statements here read few rows, but
 * where nothing has been analysed yet, as in a new installation and in each new week, the planner expects millions of
 * them, compiles the statement (JIT) and starts parallel workers: 100 ms for a list that takes 3.
 *
 * They are sent as startup options. Where a pooler refuses or drops those, each connection is set by a statement, but only
 * once it is known that no other program shares it. What the application's own options name stays as it is there.
 */
export class PlannerSettings {
  private startup = true;
  private statement: string | null = null;

  /** Gives them to a client that has not connected yet. Options of the application's stand alone: poolers read them. */
  addTo(client: pg.Client): void {
    const { connectionParameters } = withParameters(client);
    if (this.startup && !connectionParameters.options) connectionParameters.options = OPTIONS;
  }

  /** Runs what may connect, and once more without the options where they were refused. */
  async connecting<T>(connect: () => Promise<T>): Promise<T> {
    const offered = this.startup;
    try {
      return await connect();
    } catch (error) {
      if (!offered || !isOptionsRefused(error)) throw error;
      this.startup = false;
      return connect();
    }
  }

  /** Called with a connection that is known to be of this process alone. */
  async ensure(client: pg.ClientBase): Promise<void> {
    const own = withParameters(client).connectionParameters.options ?? '';
    const names = Object.keys(SETTINGS).filter((name) => own === OPTIONS || !own.includes(name));
    const { rows } = await client.query<{ name: Name; setting: string }>(
      'select name, setting from pg_settings where name = any ($1::text[])',
      [names],
    );
    const wrong = rows.filter(({ name, setting }) => setting !== SETTINGS[name]);
    if (wrong.length === 0) return;
    const calls = wrong.map(({ name }) => `set_config('${name}', '${SETTINGS[name]}', false)`);
    this.statement = `select ${calls.join(', ')}`;
    await client.query(this.statement);
  }

  /** Sets a new connection of the pool, where the options did not. */
  readonly verify = (client: pg.ClientBase, done: (error?: Error) => void): void => {
    if (this.statement === null) done();
    else client.query(this.statement, (error) => done(error ?? undefined));
  };
}

const SETTINGS = { jit: 'off', max_parallel_workers_per_gather: '0' };
type Name = keyof typeof SETTINGS;
const OPTIONS = Object.entries(SETTINGS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** What the driver has read from the URL and the environment, which its types do not name. */
function withParameters(client: pg.ClientBase): { connectionParameters: { options?: string } } {
  return client as unknown as { connectionParameters: { options?: string } };
}

/** In the words of PgBouncer, Amazon's RDS Proxy and the like, which have one SQLSTATE for all they refuse. */
function isOptionsRefused(error: unknown): boolean {
  const { severity, message } = (error instanceof PostriderError ? error.cause : error) as {
    severity?: unknown;
    message?: unknown;
  };
  return severity === 'FATAL' && /startup (?:parameter|option)|command-line options/i.test(String(message));
}
