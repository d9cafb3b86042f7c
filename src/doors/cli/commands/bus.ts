import type { Command } from 'commander';
import { PostriderError } from '../../../kernel/index.js';
import type { Cli, CommonOptions } from '../cli.js';
import { columns } from '../columns.js';
import { numberOf } from '../filter-options.js';
import { printable } from '../terminal.js';
import { withApplication } from '../with-application.js';
import { withStore } from '../with-store.js';

/** `postrider bus …`: what events of others could not be taken, and whether events of emails are noted for the bus. */
export function busDlqList(cli: Cli, options: BusOptions & { limit?: string }): Promise<number> {
  return withApplication(cli, { file: options.config }, async (application) => {
    const limit = options.limit === undefined ? 100 : wholeOf(options.limit, 'limit');
    const letters = await application.busDeadLetters().list({ limit });
    if (options.json) {
      cli.terminal.out(JSON.stringify(letters, null, 2));
      return 0;
    }
    const rows = letters.map((letter) => [
      ...[printable(letter.id ?? '-'), printable(letter.type ?? '-'), letter.occurredAt ?? '-'],
      ...[String(letter.finalRetryCount ?? '-'), String(letter.finalStatusCode ?? '-')],
      printable(letter.finalError ?? ''),
    ]);
    for (const line of columns(rows)) cli.terminal.out(line);
    if (rows.length === 0) cli.terminal.out('No dead letters.');
    return 0;
  });
}

/** Naming no ids must not mean everything; --all does. */
export function busDlqRetry(
  cli: Cli,
  ids: readonly string[],
  options: BusOptions & { all?: boolean },
): Promise<number> {
  if (ids.length > 0 === (options.all ?? false))
    throw new PostriderError('INVALID_PAYLOAD', 'Give ids, or --all.', { field: 'id' });
  return withApplication(cli, { file: options.config }, async (application) => {
    const which = ids.length > 0 ? { ids } : {};
    const { retried, left } = await application.busDeadLetters().retry(which);
    if (options.json) cli.terminal.out(JSON.stringify({ retried, left }));
    else cli.terminal.out(`Put back: ${retried}. Left: ${left}.`);
    return ids.length > retried ? 1 : 0;
  });
}

export function busStatus(cli: Cli, options: BusOptions): Promise<number> {
  return withStore(cli, options, WHAT, async (application) => {
    const waiting = await (await application.operations()).waitingForBus();
    if (options.json) cli.terminal.out(JSON.stringify({ waiting }));
    else
      cli.terminal.out(
        waiting === null ? 'No events are noted for the bus.' : `Waiting for the bus: ${waiting}.`,
      );
    return 0;
  });
}

export function busOff(cli: Cli, options: BusOptions): Promise<number> {
  return withStore(cli, options, WHAT, async (application) => {
    const forgotten = await (await application.operations()).leaveBus();
    cli.terminal.out(`Events are noted no longer; ${forgotten} that waited are forgotten.`);
    return 0;
  });
}

export function describeBus(program: Command, cli: Cli, run: Run): void {
  const bus = program.command('bus').description('events between services');
  const dlq = bus.command('dlq').description('events of others that could not be taken');
  dlq
    .command('list')
    .description('what they were and why')
    .option('--limit <n>', 'at most so many (100)')
    .option('--json', 'as JSON')
    .action((_, self) => run(busDlqList(cli, self.optsWithGlobals())));
  dlq
    .command('retry [ids...]')
    .description('put these back into the queue, or all of them')
    .option('--all', 'every one')
    .option('--json', 'as JSON')
    .action((ids, _, self) => run(busDlqRetry(cli, ids, self.optsWithGlobals())));
  bus
    .command('status')
    .description('how many events of emails wait for the broker')
    .option('--json', 'as JSON')
    .action((_, self) => run(busStatus(cli, self.optsWithGlobals())));
  bus
    .command('off')
    .description('note no events for the bus any more; unset POSTRIDER_BUS_URL first')
    .action((_, self) => run(busOff(cli, self.optsWithGlobals())));
}

const WHAT = 'commands about the bus';

function wholeOf(text: string, field: string): number {
  const value = numberOf(text, field);
  if (Number.isInteger(value) && value > 0) return value;
  throw new PostriderError('INVALID_PAYLOAD', `${field} must be a whole number from 1.`, { field });
}

type Run = (running: Promise<number>) => Promise<void>;

interface BusOptions extends CommonOptions {
  json?: boolean;
}
