import type { Command } from 'commander';
import type { Cli, CommonOptions } from '../cli.js';
import { type FilterOptions, filterOf, withFilter } from '../filter-options.js';
import { progress } from '../progress.js';
import { withStore } from '../with-store.js';

/** `postrider cancel`: takes back every waiting email a filter means; without --yes it only says how many. */
export function cancel(
  cli: Cli,
  options: CommonOptions & FilterOptions & { yes?: boolean; json?: boolean },
): Promise<number> {
  const { terminal } = cli;
  return withStore(cli, options, 'cancels', async (application) => {
    const desk = await application.operations();
    const dryRun = !options.yes;
    const report = await progress(terminal, dryRun ? 'Counting' : 'Cancelling', (say) =>
      desk.cancelMany(filterOf(options), {
        dryRun,
        by: 'cli',
        onProgress: (cancelled) => say(`${cancelled} cancelled`),
      }),
    );
    if (options.json) terminal.out(JSON.stringify(report));
    else if (dryRun) terminal.out(`${report.matching} would be cancelled; say --yes to do it.`);
    else terminal.out(`Cancelled ${report.cancelled}.`);
    return 0;
  });
}

export function describeCancel(
  program: Command,
  cli: Cli,
  run: (running: Promise<number>) => Promise<void>,
): void {
  withFilter(
    program.command('cancel').description('take back every waiting email a filter means'),
    'scheduled, pending, retry, processing or all',
  )
    .option('--yes', 'do it, instead of only counting')
    .option('--json', 'as JSON')
    .action((_, self: Command) => run(cancel(cli, self.optsWithGlobals())));
}
