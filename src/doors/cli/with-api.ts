import type { ApiCall } from './application.js';
import type { Cli, CommonOptions } from './cli.js';
import { withApplication } from './with-application.js';
import { runningBeside } from './with-running-or-own.js';

/**
 * Commands about access speak the API: to this process's own, as the command line, or, when the embedded store is open
 * in another process, to that one. So both do the same, with the same refusals and the same audit log.
 */
export async function withApi<T>(
  cli: Cli,
  options: CommonOptions,
  command: (call: ApiCall) => Promise<T>,
): Promise<T> {
  const input = { file: options.config };
  try {
    return await withApplication(cli, input, (application) => command(application.call));
  } catch (error) {
    const running = await runningBeside(cli, input, error);
    if (running === null) throw error;
    return command(running.call);
  }
}
