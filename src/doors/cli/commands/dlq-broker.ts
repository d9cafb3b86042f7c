import type { Command } from 'commander';
import { PostriderError } from '../../../kernel/index.js';
import type { WhichLetters } from '../../../which-letters.js';
import type { Cli, CommonOptions } from '../cli.js';
import { columns } from '../columns.js';
import { numberOf } from '../filter-options.js';
import { printable } from '../terminal.js';
import { withApplication } from '../with-application.js';

/**
 * `postrider dlq broker …`: the dead-letter queue of RabbitMQ. Emails have their truth in the ledger (`dlq list`);
 * here are their mirrors, and messages of other services that were refused.
 */
interface BrokerOptions extends CommonOptions {
  json?: boolean;
  all?: boolean;
}

export function brokerList(cli: Cli, options: BrokerOptions & { limit?: string }): Promise<number> {
  const { terminal } = cli;
  return withApplication(cli, { file: options.config }, async (application) => {
    const limit = options.limit === undefined ? {} : { limit: numberOf(options.limit, 'limit') };
    const page = await application.brokerDeadLetters().list(limit);
    if (options.json) {
      terminal.out(JSON.stringify(page, null, 2));
      return 0;
    }
    const rows = page.messages.map((message) => [
      printable(message.messageId),
      printable(message.failedAt ?? '-'),
      message.emailId === null ? `message ${printable(message.type ?? '')}`.trim() : 'email',
      printable(message.failureType ?? '-'),
      printable(message.errorCode ?? '-'),
      printable(message.errorMessage ?? ''),
    ]);
    for (const line of columns(rows)) terminal.out(line);
    if (rows.length === 0) terminal.out('No dead letters in the broker.');
    if (page.total > rows.length) terminal.note(`${page.total} in all: --limit ${page.total}`);
    return 0;
  });
}

export function brokerRequeue(
  cli: Cli,
  ids: readonly string[],
  options: BrokerOptions & { acceptDuplicates?: boolean },
): Promise<number> {
  const which = whichOf(ids, options);
  return withApplication(cli, { file: options.config }, async (application) => {
    const acceptDuplicates = options.acceptDuplicates ?? false;
    const report = await application.brokerDeadLetters().requeue(which, { by: 'cli', acceptDuplicates });
    if (options.json) cli.terminal.out(JSON.stringify(report));
    else {
      cli.terminal.out(`Put back: ${report.requeued}.`);
      for (const { messageId, reason } of report.refused)
        cli.terminal.out(`Not ${printable(messageId)}: ${reason}.`);
      for (const id of report.notFound) cli.terminal.out(`Not found: ${printable(id)}.`);
    }
    return report.requeued === 0 && report.refused.length + report.notFound.length > 0 ? 1 : 0;
  });
}

export function brokerPurge(cli: Cli, ids: readonly string[], options: BrokerOptions): Promise<number> {
  const which = whichOf(ids, options);
  return withApplication(cli, { file: options.config }, async (application) => {
    const report = await application.brokerDeadLetters().purge(which);
    if (options.json) cli.terminal.out(JSON.stringify(report));
    else {
      cli.terminal.out(`Removed from the broker: ${report.purged}.`);
      for (const id of report.notFound) cli.terminal.out(`Not found: ${printable(id)}.`);
    }
    return report.purged === 0 && report.notFound.length > 0 ? 1 : 0;
  });
}

/** Naming no message must not mean everything; --all does. */
function whichOf(ids: readonly string[], { all }: BrokerOptions): WhichLetters {
  if (ids.length > 0 === (all ?? false))
    throw new PostriderError('INVALID_PAYLOAD', 'Give ids of messages or --all, one of the two.', {
      field: 'messageId',
    });
  return all ? { all: true } : { messageIds: ids };
}

type Run = (running: Promise<number>) => Promise<void>;

export function describeDlqBroker(dlq: Command, cli: Cli, run: Run): void {
  const broker = dlq.command('broker').description("the broker's dead-letter queue (RabbitMQ)");
  broker
    .command('list')
    .description('the oldest first, without bodies')
    .option('--limit <n>', 'how many (50)')
    .option('--json', 'as JSON')
    .action((_, self: Command) => run(brokerList(cli, self.optsWithGlobals())));
  broker
    .command('requeue [messageIds...]')
    .description('put messages back: by id, or --all')
    .option('--all', 'every one there is')
    .option('--accept-duplicates', 'also emails that may have been delivered already')
    .option('--json', 'as JSON')
    .action((ids: string[], _, self: Command) => run(brokerRequeue(cli, ids, self.optsWithGlobals())));
  broker
    .command('purge [messageIds...]')
    .description('remove messages for good: by id, or --all')
    .option('--all', 'every one there is')
    .option('--json', 'as JSON')
    .action((ids: string[], _, self: Command) => run(brokerPurge(cli, ids, self.optsWithGlobals())));
}
