import type { Command } from 'commander';
import type { Cli } from './cli.js';
import {
  templatesActive,
  templatesDiscard,
  templatesDraft,
  templatesOverrides,
  templatesPublish,
  templatesRollBack,
  templatesVersions,
} from './commands/template-overrides.js';
import { templatesList, templatesPreview } from './commands/templates.js';

/** `postrider templates …`: looking at the emails there are, and a company's own versions of them. */
export function describeTemplates(
  program: Command,
  cli: Cli,
  run: (running: Promise<number>) => Promise<void>,
): void {
  const parent = program
    .command('templates')
    .description("look at the emails there are, and edit a company's own versions");
  looking(parent, cli, run);
  editing(parent, cli, run);
}

type Run = Parameters<typeof describeTemplates>[2];

function looking(parent: Command, cli: Cli, run: Run): void {
  parent
    .command('list')
    .description('every type with its portal, priority, limit and expiry')
    .option('--json', 'as JSON')
    .action((_, self) => run(templatesList(cli, self.optsWithGlobals())));
  parent
    .command('preview <type>')
    .description('one email with sample data')
    .option('--lang <tag>', 'the language (en)')
    .option('--company <id>', 'with the brand of this company')
    .option('--stored <version>', "this version of the company's own, draft or not")
    .option('--data <file>', 'a file with the data as JSON, instead of the sample')
    .option('--html', 'only the HTML')
    .option('--text', 'only the plain text')
    .option('--open <yes|no>', 'whether to open the HTML in a browser (yes, where a person is watching)')
    .action((type, _, self) => run(templatesPreview(cli, type, self.optsWithGlobals())));
  parent
    .command('overrides')
    .description("what is drafted and published as companies' own")
    .option('--company <id>', 'only of this company')
    .option('--json', 'as JSON')
    .action((_, self) => run(templatesOverrides(cli, self.optsWithGlobals())));
  ofType(parent, 'versions <type>', "every version of a company's own, the newest first")
    .option('--json', 'as JSON')
    .action((type, _, self) => run(templatesVersions(cli, type, self.optsWithGlobals())));
}

function editing(parent: Command, cli: Cli, run: Run): void {
  by(ofType(parent, 'draft <type>', 'save a draft; a broken one is refused with line and reason'))
    .requiredOption('--subject <text>', 'the subject')
    .requiredOption('--html <file>', 'a file with the HTML')
    .option('--text <file>', 'a file with the plain text; else it follows from the HTML')
    .action((type, _, self) => run(templatesDraft(cli, type, self.optsWithGlobals())));
  ofType(parent, 'discard <type>', 'throw the draft away').action((type, _, self) =>
    run(templatesDiscard(cli, type, self.optsWithGlobals())),
  );
  by(ofType(parent, 'publish <type>', 'send the draft from now on')).action((type, _, self) =>
    run(templatesPublish(cli, type, self.optsWithGlobals())),
  );
  by(ofType(parent, 'roll-back <type>', 'publish the version before again'))
    .option('--to <version>', 'or this one')
    .action((type, _, self) => run(templatesRollBack(cli, type, self.optsWithGlobals())));
  by(ofType(parent, 'active <type> <yes|no>', 'whether the published version is used')).action(
    (type, answer, _, self) => run(templatesActive(cli, { type, answer }, self.optsWithGlobals())),
  );
}

function ofType(parent: Command, name: string, says: string): Command {
  return parent
    .command(name)
    .description(says)
    .option('--lang <tag>', 'the language (en)')
    .option('--company <id>', 'the company, instead of the default one');
}

function by(command: Command): Command {
  return command.option('--by <who>', 'who changes it (command line)');
}
