import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import {
  readRows,
  type Suppression,
  type SuppressionInput,
  type Suppressions,
  writeSuppressionRows,
} from '../../../recipients/index.js';
import type { Cli, CommonOptions } from '../cli.js';
import { columns } from '../columns.js';
import { progress } from '../progress.js';
import { runningPeople } from '../running-people.js';
import { printable } from '../terminal.js';
import { withStore } from '../with-store.js';
import { formatOf } from './recipients.js';

/** `postrider suppressions …`: whom not to write to. Lists of any length are read and written as they come. */
export function suppressionsAdd(cli: Cli, emails: readonly string[], options: AddOptions): Promise<number> {
  return withList(cli, options, async (suppressions) => {
    const reason = options.reason as SuppressionInput['reason'];
    const entries = emails.map((email) => ({
      email,
      ...(reason !== undefined && { reason }),
      ...(options.category !== undefined && { category: options.category }),
      ...(options.note !== undefined && { note: options.note }),
    }));
    const added = await suppressions.add(entries, company(options));
    cli.terminal.out(`${added} added, ${entries.length - added} known`);
    return 0;
  });
}

export function suppressionsRemove(cli: Cli, email: string, options: AddOptions): Promise<number> {
  return withList(cli, options, async (suppressions) => {
    const reason = options.reason as SuppressionInput['reason'];
    const entry = {
      email,
      ...(reason !== undefined && { reason }),
      ...(options.category !== undefined && { category: options.category }),
    };
    cli.terminal.out(`${await suppressions.remove(entry, company(options))} removed`);
    return 0;
  });
}

export function suppressionsList(cli: Cli, email: string | undefined, options: ListOptions): Promise<number> {
  return withList(cli, options, async (suppressions) => {
    const rows =
      email === undefined
        ? (
            await suppressions.list({
              ...company(options),
              ...(options.reason !== undefined && { reason: options.reason }),
              limit: SHOWN_ROWS,
            })
          ).suppressions
        : await suppressions.find(email, company(options));
    if (options.json) cli.terminal.out(JSON.stringify(rows, null, 2));
    else for (const line of columns(rows.map(asLine))) cli.terminal.out(line);
    if (rows.length === SHOWN_ROWS) cli.terminal.note('There may be more; `suppressions export` has all.');
    return 0;
  });
}

export function suppressionsImport(cli: Cli, file: string, options: FileOptions): Promise<number> {
  const format = formatOf(file, options.format);
  return withList(cli, options, async (suppressions) => {
    const report = await progress(cli.terminal, 'Importing', () =>
      suppressions.importAll(readRows(createReadStream(file), format), company(options)),
    );
    cli.terminal.out(`${report.added} added, ${report.known} known`);
    return 0;
  });
}

export function suppressionsExport(cli: Cli, file: string, options: FileOptions): Promise<number> {
  const format = formatOf(file, options.format);
  return withList(cli, options, async (suppressions) => {
    let written = 0;
    async function* counted(rows: AsyncGenerator<Suppression>) {
      for await (const row of rows) {
        written += 1;
        yield row;
      }
    }
    const rows = suppressions.exportAll({
      ...company(options),
      ...(options.reason !== undefined && { reason: options.reason }),
    });
    // Written beside what may be there already, never over it: a list cut short would let mail through.
    await pipeline(
      Readable.from(writeSuppressionRows(counted(rows), format)),
      createWriteStream(file, { flags: 'wx' }),
    );
    cli.terminal.out(`${written} written to ${file}`);
    return 0;
  });
}

export function describeSuppressions(program: Command, cli: Cli, run: Run): void {
  const parent = program.command('suppressions').description('whom not to write to');
  const command = (name: string, says: string) =>
    parent
      .command(name)
      .description(says)
      .option('--company <id>', 'whose list, instead of the default company')
      .option('--reason <name>', 'bounce, complaint, manual or unsubscribe');
  const format = ['--format <name>', 'csv or ndjson, where the name of the file does not say'] as const;
  command('add <email...>', 'write to these no more')
    .option('--category <name>', 'with unsubscribe: only this kind of email')
    .option('--note <text>', 'why, for whoever looks')
    .action((emails, _, self) => run(suppressionsAdd(cli, emails, self.optsWithGlobals())));
  command('remove <email>', 'write to this one again')
    .option('--category <name>', 'with unsubscribe: only this kind of email')
    .action((email, _, self) => run(suppressionsRemove(cli, email, self.optsWithGlobals())));
  command('list [email]', 'the first hundred, or why one address is not written to')
    .option('--json', 'as JSON')
    .action((email, _, self) => run(suppressionsList(cli, email, self.optsWithGlobals())));
  command('import <file>', 'add those of a CSV or NDJSON file')
    .option(...format)
    .action((file, _, self) => run(suppressionsImport(cli, file, self.optsWithGlobals())));
  command('export <file>', 'write them all to a CSV or NDJSON file')
    .option(...format)
    .action((file, _, self) => run(suppressionsExport(cli, file, self.optsWithGlobals())));
}

/** The list of the store, or of the process that has it. */
function withList(
  cli: Cli,
  options: CommonOptions,
  command: (suppressions: Suppressions) => Promise<number>,
): Promise<number> {
  return withStore(
    cli,
    options,
    'suppressions',
    async (application) => command(await application.suppressions()),
    (call) => command(runningPeople(call).suppressions),
  );
}

type Run = (running: Promise<number>) => Promise<void>;

interface CompanyOptions extends CommonOptions {
  company?: string;
  reason?: string;
}

interface AddOptions extends CompanyOptions {
  category?: string;
  note?: string;
}

interface ListOptions extends CompanyOptions {
  json?: boolean;
}

interface FileOptions extends CompanyOptions {
  format?: string;
}

const SHOWN_ROWS = 100;

function company(options: CompanyOptions): { companyId?: string } {
  return options.company === undefined ? {} : { companyId: options.company };
}

function asLine({ email, reason, category, createdAt, note }: Suppression): string[] {
  return [printable(email ?? '(erased)'), reason, category ?? '', createdAt, printable(note ?? '')];
}
