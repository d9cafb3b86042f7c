import { type Config, type ConfigInput, invalidConfig } from '../../config.js';
import { messageOf } from '../../kernel/index.js';
import type { Application } from './application.js';
import type { Cli } from './cli.js';
import { noteAround } from './note-act.js';
import { progress } from './progress.js';

/**
 * Opens the application for one command and closes it afterwards, whatever happened in between.
 * A failure of the command is reported before a failure to close.
 */
export async function withApplication<T>(
  cli: Cli,
  input: ConfigInput,
  command: (application: Application, config: Config) => Promise<T>,
): Promise<T> {
  const config = configOf(cli, input);
  const application = await open(cli, config);
  let result: T;
  try {
    result = await noteAround(application, cli.act ?? null, () => command(application, config));
  } catch (error) {
    await application.stop({ deadlineMs: 0 }).catch((closing: unknown) => {
      cli.terminal.note(`Closing failed as well: ${messageOf(closing)}`);
    });
    throw error;
  }
  await application.stop({ deadlineMs: 0 });
  return result;
}

/** The config, or INVALID_CONFIG with every problem. */
export function configOf(cli: Cli, input: ConfigInput): Config {
  const checked = cli.checkConfig(input);
  if (checked.ok) return checked.config;
  throw invalidConfig(checked.problems);
}

/** Quick for PostgreSQL; the embedded store takes seconds the first time, which only a person minds. */
function open(cli: Cli, config: Config): Promise<Application> {
  if (!cli.terminal.watched) return cli.openApplication(config);
  return progress(cli.terminal, 'Opening the store', () => cli.openApplication(config));
}
