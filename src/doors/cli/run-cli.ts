import { Command, CommanderError } from 'commander';
import type { Cli } from './cli.js';
import { describeAlerts } from './commands/alerts.js';
import { describeBus } from './commands/bus.js';
import { describeCancel } from './commands/cancel.js';
import { configCheck, configDiff } from './commands/config.js';
import { describeAccess } from './commands/describe-access.js';
import { dev } from './commands/dev.js';
import { describeDlq } from './commands/dlq.js';
import { describeDlqBroker } from './commands/dlq-broker.js';
import { doctor } from './commands/doctor.js';
import { describeErase } from './commands/erase.js';
import { describeLimits } from './commands/limits.js';
import { migrate } from './commands/migrate.js';
import { pause, resume } from './commands/pause.js';
import { recipientsImport } from './commands/recipients.js';
import { restored } from './commands/restored.js';
import { describeSchedules } from './commands/schedules.js';
import { send } from './commands/send.js';
import { serve } from './commands/serve.js';
import { status } from './commands/status.js';
import { describeSuppressions } from './commands/suppressions.js';
import { describeWebhooks } from './commands/webhooks.js';
import { describeTemplates } from './describe-templates.js';
import { actOf } from './note-act.js';
import { EXIT_USAGE, presentError } from './present-error.js';

/**
 * The command line: parses the arguments, runs one command, returns the exit code. It never ends
 * the process itself and never throws: 0 done, 1 a fault, 2 wrong usage or configuration.
 */
export async function runCli(args: readonly string[], cli: Cli): Promise<number> {
  let exitCode = 0;
  const own: Cli = { ...cli };
  const program = describe(own, async (running) => {
    exitCode = await running;
  });
  program.hook('preAction', (_, command) => {
    own.act = actOf(command);
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return presentError(cli.terminal, error);
    return error.exitCode === 0 ? 0 : EXIT_USAGE;
  }
}

type Run = (running: Promise<number>) => Promise<void>;

function describe(cli: Cli, run: Run): Command {
  const program = new Command('postrider')
    .description('Delivers the email an application promises.')
    .version(cli.version)
    .option('--config <file>', 'the file of settings, instead of postrider.config.json')
    .configureOutput({
      writeOut: (text) => cli.terminal.out(text.trimEnd()),
      writeErr: (text) => cli.terminal.note(text.trimEnd()),
    })
    .showHelpAfterError('Run with --help to see what there is.')
    .exitOverride();
  running(program, cli, run);
  emails(program, cli, run);
  people(program, cli, run);
  describeAlerts(program, cli, run);
  describeBus(program, cli, run);
  describeCancel(program, cli, run);
  describeDlqBroker(describeDlq(program, cli, run), cli, run);
  describeErase(program, cli, run);
  describeLimits(program, cli, run);
  describeTemplates(program, cli, run);
  describeSchedules(program, cli, run);
  describeAccess(program, cli, run);
  describeSuppressions(program, cli, run);
  describeWebhooks(program, cli, run);
  looking(program, cli, run);
  return program;
}

function running(program: Command, cli: Cli, run: Run): void {
  command(program, 'dev', 'run everything here, with an inbox that shows every email sent').action(
    (_, self) => run(dev(cli, self.optsWithGlobals())),
  );
  command(program, 'serve', 'run the API, the worker and the scheduler')
    .option('--roles <list>', 'which of api,worker,scheduler,smtp to run')
    .option(
      '--hold',
      'let nothing out until `postrider resume all`: no email, webhook, bus event or schedule',
    )
    .action((_, self) => run(serve(cli, self.optsWithGlobals())));
  command(
    program,
    'restored',
    'make a store restored from a backup safe to start: what waits may have been sent since',
  ).action((_, self) => run(restored(cli, self.optsWithGlobals())));
  command(program, 'migrate', 'bring the database schema up to this version').action((_, self) =>
    run(migrate(cli, self.optsWithGlobals())),
  );
}

function emails(program: Command, cli: Cli, run: Run): void {
  command(program, 'send', 'send one email')
    .requiredOption('--to <address...>', 'one or more recipients')
    .requiredOption('--subject <text>', 'the subject')
    .option('--text <text>', 'the plain text')
    .option('--html <html>', 'the HTML; a missing part is derived from the other')
    .option('--from <address>', 'the sender, instead of the configured one')
    .option('--wait [seconds]', 'stay until it is sent or has failed (60 s)')
    .action((_, self) => run(send(cli, self.optsWithGlobals())));
  command(program, 'pause <what>', 'stop sending: all, tenant:<name>, type:<name> or route:<name>')
    .option('--reason <text>', 'shown by status')
    .action((what, _, self) => run(pause(cli, what, self.optsWithGlobals())));
  command(program, 'resume <what>', 'lift a pause').action((what, _, self) =>
    run(resume(cli, what, self.optsWithGlobals())),
  );
}

function people(program: Command, cli: Cli, run: Run): void {
  const recipients = command(program, 'recipients', 'the people emails are sent to');
  command(recipients, 'import <file>', 'make or change people from a CSV or NDJSON file')
    .option('--company <id>', 'whose people they are, instead of the default company')
    .option('--format <name>', 'csv or ndjson, where the name of the file does not say')
    .action((file, _, self) => run(recipientsImport(cli, file, self.optsWithGlobals())));
}

function looking(program: Command, cli: Cli, run: Run): void {
  command(program, 'status [emailId]', 'the whole at a glance, or one email and what happened to it')
    .option('--json', 'as JSON')
    .action((emailId, _, self) => run(status(cli, emailId, self.optsWithGlobals())));
  const config = command(program, 'config', 'look at the settings');
  command(config, 'check', 'every setting with its source, or what is wrong')
    .option('--json', 'as JSON')
    .action((_, self) => run(configCheck(cli, self.optsWithGlobals())));
  command(config, 'diff', 'only what differs from its default')
    .option('--json', 'as JSON')
    .action((_, self) => run(configDiff(cli, self.optsWithGlobals())));
  command(program, 'doctor', 'find out what is wrong and what helps')
    .option('--json', 'as JSON')
    .action((_, self) => run(doctor(cli, self.optsWithGlobals())));
}

function command(parent: Command, name: string, says: string): Command {
  return parent.command(name).description(says);
}
