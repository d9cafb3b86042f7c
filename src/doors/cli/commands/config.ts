import { describeProblem, type Explanation, explain } from '../../../config.js';
import type { Cli, CommonOptions } from '../cli.js';
import { columns } from '../columns.js';
import { EXIT_USAGE } from '../present-error.js';
import { printable } from '../terminal.js';

/** `postrider config check`: every setting with its source, or every problem. Opens nothing. */
export function configCheck(cli: Cli, options: ShowOptions): Promise<number> {
  return show(cli, options, (rows) => rows);
}

/** `postrider config diff`: only what differs from its default. */
export function configDiff(cli: Cli, options: ShowOptions): Promise<number> {
  return show(cli, options, (rows) => rows.filter((row) => row.differs));
}

export type ShowOptions = CommonOptions & { json?: boolean };

async function show(
  { terminal, checkConfig }: Cli,
  options: ShowOptions,
  select: (rows: Explanation[]) => Explanation[],
): Promise<number> {
  const checked = checkConfig({ file: options.config });
  if (!checked.ok) {
    if (options.json) terminal.out(JSON.stringify({ ok: false, problems: checked.problems }, null, 2));
    else
      for (const problem of checked.problems)
        terminal.out(`${terminal.colors.red('✗')} ${printable(describeProblem(problem))}`);
    return EXIT_USAGE;
  }
  const all = explain(checked.config);
  const rows = select(all);
  if (options.json) {
    terminal.out(JSON.stringify({ ok: true, settings: rows }, null, 2));
    return 0;
  }
  const lines = columns(rows.map((row) => [row.key, printable(row.value), from(row)]));
  for (const line of lines) terminal.out(line);
  if (rows.length === 0) terminal.out('Every setting has its default.');
  for (const row of all.filter(({ ignored }) => ignored.length > 0))
    terminal.note(
      `${row.key} is taken from ${row.source}; ${row.ignored.join(', ')} says something too and is ignored.`,
    );
  if (rows.length === all.length) terminal.out(terminal.colors.green('The configuration is fine.'));
  return 0;
}

function from(row: Explanation): string {
  if (row.source === 'default') return 'default';
  return row.differs ? `${row.source} (default ${printable(row.default)})` : row.source;
}
