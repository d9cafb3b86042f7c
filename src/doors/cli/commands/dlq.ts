import type { Command } from 'commander';
import { isUuid, PostriderError } from '../../../kernel/index.js';
import type { Cli, CommonOptions } from '../cli.js';
import { columns } from '../columns.js';
import { type FilterOptions, filterOf, numberOf, withFilter } from '../filter-options.js';
import { progress } from '../progress.js';
import { printable } from '../terminal.js';
import { withStore } from '../with-store.js';

interface DlqOptions extends CommonOptions, FilterOptions {
  error?: string;
  json?: boolean;
}

/** `postrider dlq list`: what ended in failed or unknown, or how many of each error. */
export function dlqList(
  cli: Cli,
  options: DlqOptions & { limit?: string; cursor?: string; groups?: boolean },
): Promise<number> {
  const { terminal } = cli;
  return withStore(cli, options, WHAT, async (application) => {
    const { deadLetters } = await application.operations();
    if (options.groups) {
      const groups = await deadLetters.groups(queryOf(options));
      if (options.json) terminal.out(JSON.stringify(groups, null, 2));
      else for (const line of columns(groups.map(groupCells))) terminal.out(line);
      return 0;
    }
    const page = await deadLetters.list({
      ...queryOf(options),
      ...(options.limit !== undefined && { limit: numberOf(options.limit, 'limit') }),
      ...(options.cursor !== undefined && { cursor: options.cursor }),
    });
    if (options.json) {
      terminal.out(JSON.stringify(page, null, 2));
      return 0;
    }
    const rows = page.deadLetters.map((letter) => [
      letter.id,
      letter.status,
      letter.failedAt ?? letter.updatedAt,
      printable(letter.type ?? '-'),
      printable(letter.to),
      printable(letter.errorCode ?? ''),
      `${letter.contentKept ? '' : 'content gone '}${letter.mayHaveBeenDelivered ? 'may have been delivered' : ''}`.trim(),
    ]);
    for (const line of columns(rows)) terminal.out(line);
    if (rows.length === 0) terminal.out('No dead letters.');
    if (page.nextCursor) terminal.note(`More: --cursor ${page.nextCursor}`);
    return 0;
  });
}

/** `postrider dlq show`: one of them with everything that happened to it. */
export function dlqShow(cli: Cli, emailId: string, options: DlqOptions): Promise<number> {
  return withStore(cli, options, WHAT, async (application) => {
    const { deadLetters } = await application.operations();
    const letter = await deadLetters.get(emailId, { companyId: options.company });
    if (letter === null) throw new PostriderError('EMAIL_NOT_FOUND', `There is no dead letter ${emailId}.`);
    const events = await application.timeline(emailId);
    if (options.json) {
      cli.terminal.out(JSON.stringify({ ...letter, events }, null, 2));
      return 0;
    }
    const fields = Object.entries(letter).filter(([, value]) => value !== null);
    for (const line of columns(fields.map(([name, value]) => [name, printable(value)])))
      cli.terminal.out(line);
    cli.terminal.out('');
    const rows = events.map((event) => [event.createdAt, event.type, printable(event.metadata)]);
    for (const line of columns(rows)) cli.terminal.out(line);
    return 0;
  });
}

/** `postrider dlq retry`: another round for the ones named, or all a filter means. */
export function dlqRetry(
  cli: Cli,
  ids: readonly string[],
  options: DlqOptions & { all?: boolean; acceptDuplicates?: boolean },
): Promise<number> {
  const which = whichOf(ids, options);
  return withStore(cli, options, WHAT, async (application) => {
    const { deadLetters } = await application.operations();
    const report = await progress(cli.terminal, 'Trying again', (say) =>
      deadLetters.retry(which, {
        by: 'cli',
        acceptDuplicates: options.acceptDuplicates ?? false,
        onProgress: sparingly((done) => say(`${done} looked at`)),
      }),
    );
    if (options.json) cli.terminal.out(JSON.stringify(report));
    else {
      cli.terminal.out(`Queued again: ${report.retried}.`);
      for (const [reason, count] of Object.entries(report.refused))
        cli.terminal.out(`Not: ${count}, ${SAYS[reason] ?? reason}.`);
    }
    return report.retried === 0 && Object.keys(report.refused).length > 0 ? 1 : 0;
  });
}

/** `postrider dlq discard`: takes them off the list; their status stays what it was. */
export function dlqDiscard(
  cli: Cli,
  ids: readonly string[],
  options: DlqOptions & { all?: boolean; reason?: string },
): Promise<number> {
  const which = whichOf(ids, options);
  return withStore(cli, options, WHAT, async (application) => {
    const { deadLetters } = await application.operations();
    const report = await progress(cli.terminal, 'Discarding', (say) =>
      deadLetters.discard(which, {
        by: 'cli',
        ...(options.reason !== undefined && { reason: options.reason }),
        onProgress: sparingly((done) => say(`${done} discarded`)),
      }),
    );
    cli.terminal.out(options.json ? JSON.stringify(report) : `Discarded ${report.discarded}.`);
    return 0;
  });
}

const WHAT = 'dead letters';

const SAYS: Record<string, string> = {
  'not-dead': 'not a dead letter (any more)',
  'content-gone': 'their content has been removed',
  expired: 'their time has passed',
  'needs-confirmation': 'may have been delivered already; --accept-duplicates tries them all the same',
  'not-found': 'no such email',
};

/** Naming neither ids nor a filter must not mean everything; --all does. */
function whichOf(ids: readonly string[], options: DlqOptions & { all?: boolean }) {
  const filter = queryOf(options);
  const filtered = Object.keys(filter).length > 0;
  if (ids.length > 0 && (filtered || options.all))
    throw new PostriderError('INVALID_PAYLOAD', 'Give ids or a filter, not both.', { field: 'emailId' });
  if (ids.length > 0) {
    const wrong = ids.find((id) => !isUuid(id));
    if (wrong !== undefined)
      throw new PostriderError('INVALID_PAYLOAD', `${wrong} is not the id of an email.`, {
        field: 'emailId',
      });
    return { emailIds: ids };
  }
  if (!filtered && !options.all)
    throw new PostriderError('INVALID_PAYLOAD', 'Give ids, a filter, or --all.', { field: 'emailId' });
  return { filter };
}

function queryOf(options: DlqOptions): Record<string, string | number> {
  return { ...filterOf(options), ...(options.error !== undefined && { errorCode: options.error }) };
}

function groupCells(group: {
  count: number;
  errorCode: string | null;
  status: string;
  newestId: string;
}): string[] {
  return [String(group.count), group.status, printable(group.errorCode ?? '-'), `newest ${group.newestId}`];
}

const EVERY = 5000;

function sparingly(say: (done: number) => void): (done: number) => void {
  let said = 0;
  return (done) => {
    if (done - said < EVERY) return;
    said = done;
    say(done);
  };
}

type Run = (running: Promise<number>) => Promise<void>;

export function describeDlq(program: Command, cli: Cli, run: Run): Command {
  const dlq = program.command('dlq').description('dead letters: what ended in failed or unknown');
  const filtered = (name: string, says: string) =>
    withFilter(dlq.command(name).description(says), 'failed, unknown or all')
      .option('--error <code>', 'only with this error code')
      .option('--json', 'as JSON');
  filtered('list', 'the newest first')
    .option('--groups', 'how many of each error, instead')
    .option('--limit <n>', 'how many (50)')
    .option('--cursor <id>', 'go on after this one')
    .action((_, self: Command) => run(dlqList(cli, self.optsWithGlobals())));
  dlq
    .command('show <emailId>')
    .description('one of them with what happened to it')
    .option('--json', 'as JSON')
    .action((emailId: string, _, self: Command) => run(dlqShow(cli, emailId, self.optsWithGlobals())));
  filtered('retry [emailIds...]', 'try them again: by id, by filter, or --all')
    .option('--all', 'every one there is')
    .option('--accept-duplicates', 'also those that may have been delivered already')
    .action((ids: string[], _, self: Command) => run(dlqRetry(cli, ids, self.optsWithGlobals())));
  filtered('discard [emailIds...]', 'take them off the list')
    .option('--all', 'every one there is')
    .option('--reason <text>', 'for the journal')
    .action((ids: string[], _, self: Command) => run(dlqDiscard(cli, ids, self.optsWithGlobals())));
  return dlq;
}
