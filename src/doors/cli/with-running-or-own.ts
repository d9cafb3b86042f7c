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
    const running = await runningBeside(cli, input, error);
    if (running === null) throw error;
    return command(running, configOf(cli, input));
  }
}

/** The process that has the embedded store, when this is why the command failed and it answers where it should. */
export async function runningBeside(cli: Cli, input: ConfigInput, error: unknown): Promise<Running | null> {
  if (!isPostriderError(error) || error.code !== 'STORE_LOCKED') return null;
  const running = askRunningProcess(cli.fetch, configOf(cli, input).http);
  return (await running.answers()) ? running : null;
}

type Running = ReturnType<typeof askRunningProcess>;

/** What both can do. */
export type Shared = Pick<Application, 'send' | 'get' | 'timeline' | 'overview'>;
