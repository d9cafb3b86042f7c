import type { MigrationProgress } from '../application.js';
import type { Cli, CommonOptions } from '../cli.js';
import { progress } from '../progress.js';
import { withApplication } from '../with-application.js';

/** `postrider migrate`: brings the schema up to this version, telling each step. */
export function migrate(cli: Cli, options: CommonOptions): Promise<number> {
  return withApplication(cli, { file: options.config }, async (application) => {
    const { applied, current } = await progress(cli.terminal, 'Migrating', (say) =>
      application.migrate((progress) => say(`  ${lineOf(progress)}`)),
    );
    const done = applied.length === 0 ? 'Nothing to do' : `${applied.length} applied`;
    cli.terminal.out(`${done}; the schema is at ${current}.`);
    return 0;
  });
}

function lineOf(progress: MigrationProgress): string {
  return progress.state === 'waiting' ? progress.message : progress.migration;
}
