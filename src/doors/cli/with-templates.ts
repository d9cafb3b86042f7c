import type { Cli, CommonOptions } from './cli.js';
import { type ChangingTemplates, runningTemplates } from './running-templates.js';
import { withApplication } from './with-application.js';
import { runningBeside } from './with-running-or-own.js';

/**
 * Companies' own templates in this process's store, or, when the embedded store is open in another process, through
 * that one: so a second terminal can edit while `postrider dev` runs in the first.
 */
export async function withTemplates<T>(
  cli: Cli,
  options: CommonOptions,
  work: (templates: ChangingTemplates) => Promise<T>,
): Promise<T> {
  const input = { file: options.config };
  try {
    return await withApplication(cli, input, async (application) => work(await application.templates()));
  } catch (error) {
    const running = await runningBeside(cli, input, error);
    if (running === null) throw error;
    return work(runningTemplates(running.call));
  }
}
