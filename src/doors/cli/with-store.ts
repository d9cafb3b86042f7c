import { PostriderError } from '../../kernel/index.js';
import type { Application } from './application.js';
import type { Cli, CommonOptions } from './cli.js';
import { withApplication } from './with-application.js';
import { runningBeside } from './with-running-or-own.js';

/** For commands that need the store itself. An embedded one that is open elsewhere cannot be reached, and that is said. */
export async function withStore(
  cli: Cli,
  options: CommonOptions,
  what: string,
  command: (application: Application) => Promise<number>,
): Promise<number> {
  const input = { file: options.config };
  try {
    return await withApplication(cli, input, command);
  } catch (error) {
    const running = await runningBeside(cli, input, error);
    if (running === null) throw error;
    const message = `Postrider runs at ${running.url} and keeps the embedded store to itself; stop it first, or use PostgreSQL (DATABASE_URL), where ${what} work beside it.`;
    throw new PostriderError('STORE_LOCKED', message, { cause: error });
  }
}
