import type { Command } from 'commander';
import { PostriderError } from '../../../kernel/index.js';
import type { Application } from '../application.js';
import type { Cli, CommonOptions } from '../cli.js';
import { columns } from '../columns.js';
import { progress } from '../progress.js';
import { withStore } from '../with-store.js';

interface EraseOptions extends CommonOptions {
  email?: string;
  externalId?: string;
  company?: string;
  yes?: boolean;
  json?: boolean;
}

/** `postrider erase`: takes one person out of everything. Not to be undone, so it wants to hear --yes. */
export function erase(cli: Cli, options: EraseOptions): Promise<number> {
  const { terminal } = cli;
  if (!options.yes) {
    const where = options.company === undefined ? 'in every company' : `in company ${options.company}`;
    throw new PostriderError(
      'INVALID_PAYLOAD',
      `This removes all emails and data of that person ${where} for good; say --yes to do it.`,
      { field: 'yes' },
    );
  }
  const person = {
    ...(options.email !== undefined && { email: options.email }),
    ...(options.externalId !== undefined && { externalId: options.externalId }),
    ...(options.company !== undefined && { companyId: options.company }),
  };
  return withStore(
    cli,
    options,
    'erasures',
    async (application) => {
      const desk = await application.operations();
      return present(
        await progress(terminal, 'Erasing', (say) => {
          let said = 0;
          return desk.erase(person, {
            onProgress(looked) {
              if (looked - said < EVERY) return;
              said = looked;
              say(`${looked} emails looked at`);
            },
          });
        }),
      );
    },
    async (call) => present(await call<Report>('POST', '/admin/erasures', person)),
  );

  function present(report: Report): number {
    if (options.json) terminal.out(JSON.stringify(report));
    else
      for (const line of columns(Object.entries(report).map(([name, count]) => [name, String(count)])))
        terminal.out(line);
    if (!report.complete) terminal.note('Something is in flight or still waits for others; run it again.');
    return report.complete ? 0 : 1;
  }
}

type Report = Awaited<ReturnType<Awaited<ReturnType<Application['operations']>>['erase']>>;

const EVERY = 50_000;

export function describeErase(
  program: Command,
  cli: Cli,
  run: (running: Promise<number>) => Promise<void>,
): void {
  program
    .command('erase')
    .description('take one person out of everything, for good')
    .option('--email <address>', 'who: by address')
    .option('--external-id <id>', 'who: by your own id, which needs --company')
    .option('--company <id>', 'only in this company')
    .option('--yes', 'yes, erase')
    .option('--json', 'as JSON')
    .action((_, self: Command) => run(erase(cli, self.optsWithGlobals())));
}
