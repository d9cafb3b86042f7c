import type { Config, ConfigInput } from '../../config.js';
import { isPostriderError } from '../../kernel/index.js';
import type { Application } from './application.js';
import { askRunningProcess } from './ask-running-process.js';
import type { Cli } from './cli.js';
import { configOf, withApplication } from './with-application.js';

/**
 * The application of this process, or, when the embedded store is already open in another one, that
 * other process over HTTP: so a second terminal can send while `postrider dev` runs in the first.
 */
export async function withRunningOrOwn<T>(
  cli: Cli,
  input: ConfigInput,
  command: (application: Shared, config: Config) => Promise<T>,
): Promise<T> {
  try {
    return await withApplication(cli, input, command);
  } catch (error) {
    if (!isPostriderError(error) || error.code !== 'STORE_LOCKED') throw error;
    const config = configOf(cli, input);
    const running = askRunningProcess(cli.fetch, config.http);
    if (!(await running.answers())) throw error;
    return command(running, config);
  }
}

/** What both can do. */
export type Shared = Pick<Application, 'send' | 'get' | 'timeline' | 'overview'>;
