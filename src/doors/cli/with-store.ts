import { PostriderError } from '../../kernel/index.js';
import type { ApiCall, Application } from './application.js';
import type { Cli, CommonOptions } from './cli.js';
import { withApplication } from './with-application.js';
import { runningBeside } from './with-running-or-own.js';

/**
 * For commands that need the store itself. An embedded one that is open elsewhere is reached through the process that
 * has it, where the command can do its work by that one's API; where it cannot, that is said.
 */
export async function withStore(
  cli: Cli,
  options: CommonOptions,
  what: string,
  command: (application: Application) => Promise<number>,
  beside?: (call: ApiCall) => Promise<number>,
): Promise<number> {
  const input = { file: options.config };
  try {
    return await withApplication(cli, input, command);
  } catch (error) {
    const running = await runningBeside(cli, input, error);
    if (running === null) throw error;
    if (beside) return beside(running.call);
    const message = `Postrider runs at ${running.url} and keeps the embedded store to itself; stop it first, or use PostgreSQL (DATABASE_URL), where ${what} work beside it.`;
    throw new PostriderError('STORE_LOCKED', message, { cause: error });
  }
}
