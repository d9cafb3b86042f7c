import type { Command } from 'commander';
import type { ShownEpisode } from '../../../alerts/index.js';
import type { Cli, CommonOptions } from '../cli.js';
import { columns } from '../columns.js';
import { EXIT_FAULT } from '../present-error.js';
import { printable } from '../terminal.js';
import { withApplication } from '../with-application.js';
import { withStore } from '../with-store.js';

/** `postrider alerts …`: what is wrong now and was lately, and whether people would be told. */
interface AlertOptions extends CommonOptions {
  json?: boolean;
}

export function alertsList(cli: Cli, options: AlertOptions): Promise<number> {
  return withStore(
    cli,
    options,
    'alerts',
    async (application) => show(cli, options, await (await application.alerts()).list()),
    async (call) =>
      show(cli, options, (await call<{ alerts: ShownEpisode[] }>('GET', '/admin/alerts')).alerts),
  );
}

/** Fails where a way fails, or there is none. */
export function alertsTest(cli: Cli, options: AlertOptions): Promise<number> {
  return withApplication(cli, { file: options.config }, async (application) => {
    const reports = await application.testAlerts();
    if (options.json) cli.terminal.out(JSON.stringify(reports, null, 2));
    else if (reports.length === 0)
      cli.terminal.out(
        'Nobody is told: set POSTRIDER_ALERT_WEBHOOK_URL or another way (docs/OPERATIONS.md).',
      );
    else
      for (const { channel, ok, message } of reports)
        cli.terminal.out(
          `${ok ? cli.terminal.colors.green('✓') : cli.terminal.colors.red('✗')} ${channel}: ${printable(message)}`,
        );
    return reports.length > 0 && reports.every(({ ok }) => ok) ? 0 : EXIT_FAULT;
  });
}

function show({ terminal }: Cli, { json }: AlertOptions, episodes: readonly ShownEpisode[]): number {
  if (json) terminal.out(JSON.stringify(episodes, null, 2));
  else if (episodes.length === 0) terminal.out('Nothing is wrong, and nothing was.');
  else
    for (const line of columns(
      episodes.map(({ alert, severity, beganAt, endedAt, sentence }) => [
        endedAt === null ? severity : 'over',
        alert,
        beganAt,
        endedAt ?? '',
        printable(sentence),
      ]),
    ))
      terminal.out(line);
  return 0;
}

type Run = (running: Promise<number>) => Promise<void>;

export function describeAlerts(program: Command, cli: Cli, run: Run): void {
  const alerts = program.command('alerts').description('what is wrong now, and who is told');
  alerts
    .command('list')
    .description('open alerts, then the latest that ended')
    .option('--json', 'as JSON')
    .action((_, self: Command) => run(alertsList(cli, self.optsWithGlobals())));
  alerts
    .command('test')
    .description('send a test message by every configured way')
    .option('--json', 'as JSON')
    .action((_, self: Command) => run(alertsTest(cli, self.optsWithGlobals())));
}
