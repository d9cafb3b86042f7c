import type { Command } from 'commander';
import type { ScheduleRun, ScheduleSeen } from '../../../schedules/index.js';
import type { ScheduleDesk } from '../application.js';
import type { Cli } from '../cli.js';
import { columns } from '../columns.js';
import { runningSchedules } from '../running-schedules.js';
import { printable } from '../terminal.js';
import { withStore } from '../with-store.js';
import type { ShowOptions } from './config.js';

/** `postrider schedules`: look at recurring emails, pause them, run them now. */
export function describeSchedules(
  program: Command,
  cli: Cli,
  run: (running: Promise<number>) => Promise<void>,
): void {
  const parent = program.command('schedules').description('look at recurring emails and run them');
  parent
    .command('list')
    .description('every schedule with its last run and the next')
    .option('--json', 'as JSON')
    .action((_, self) => run(schedulesList(cli, self.optsWithGlobals())));
  parent
    .command('pause <name>')
    .description('keep it from firing')
    .action((name, _, self) => run(schedulesPause(cli, name, self.optsWithGlobals())));
  parent
    .command('resume <name>')
    .description('let it fire again')
    .action((name, _, self) => run(schedulesResume(cli, name, self.optsWithGlobals())));
  parent
    .command('run <name>')
    .description('fire it now')
    .option('--wait', 'stay until it is over')
    .option('--json', 'as JSON')
    .action((name, _, self) => run(schedulesRun(cli, name, self.optsWithGlobals())));
  parent
    .command('runs <name>')
    .description('its last runs and how far they are')
    .option('--limit <number>', 'how many (20)')
    .option('--json', 'as JSON')
    .action((name, _, self) => run(schedulesRuns(cli, name, self.optsWithGlobals())));
}

/** `postrider schedules list`: every recurring email with its last run and when it goes out next. */
function schedulesList(cli: Cli, options: ShowOptions): Promise<number> {
  return withDesk(cli, options, async (desk) => {
    const schedules = await desk.list();
    if (options.json) cli.terminal.out(JSON.stringify(schedules, null, 2));
    else for (const line of columns(schedules.map(scheduleCells))) cli.terminal.out(line);
    return 0;
  });
}

/** `postrider schedules pause`: nothing fires, and a run that is going on stands still. */
function schedulesPause(cli: Cli, name: string, options: ShowOptions): Promise<number> {
  return withDesk(cli, options, async (desk) => {
    await desk.pause(name);
    cli.terminal.out(`Paused ${printable(name)}.`);
    return 0;
  });
}

/** `postrider schedules resume`: goes on; what was due during the pause stays out. */
function schedulesResume(cli: Cli, name: string, options: ShowOptions): Promise<number> {
  return withDesk(cli, options, async (desk) => {
    await desk.resume(name);
    cli.terminal.out(`Resumed ${printable(name)}.`);
    return 0;
  });
}

/** `postrider schedules run`: fires now; a process with the role scheduler carries it out, and `--wait` watches it. */
function schedulesRun(cli: Cli, name: string, options: ShowOptions & { wait?: boolean }): Promise<number> {
  return withDesk(cli, options, async (desk) => {
    let runs = await desk.runNow(name);
    const ids = new Set(runs.map((run) => run.runId));
    if (runs.length === 0) cli.terminal.note('There are no recipients, so there is nothing to run.');
    while (options.wait && runs.some((run) => run.state === 'running')) {
      if (cli.terminal.watched) cli.terminal.redraw(progressOf(runs));
      await cli.wait(LOOK_MS);
      runs = (await desk.runs(name, { limit: 1000 })).filter((run) => ids.has(run.runId));
    }
    if (cli.terminal.watched && options.wait) cli.terminal.redraw('');
    show(cli, runs, options);
    return runs.some((run) => run.state === 'failed') ? 1 : 0;
  });
}

/** `postrider schedules runs`: how the last runs went or how far they are. */
function schedulesRuns(cli: Cli, name: string, options: ShowOptions & { limit?: string }): Promise<number> {
  return withDesk(cli, options, async (desk) => {
    const limit = options.limit === undefined ? undefined : Number(options.limit);
    show(cli, await desk.runs(name, limit === undefined ? {} : { limit }), options);
    return 0;
  });
}

const LOOK_MS = 1000;

function show(cli: Cli, runs: readonly ScheduleRun[], { json }: ShowOptions): void {
  if (json) cli.terminal.out(JSON.stringify(runs, null, 2));
  else for (const line of columns(runs.map(runCells))) cli.terminal.out(line);
}

function scheduleCells({ name, cron, timeZone, paused, next, last }: ScheduleSeen): string[] {
  const ahead = paused ? 'paused' : next ? `next ${next.toISOString()}` : 'no next';
  return [
    name,
    cron ?? 'by hand',
    timeZone,
    ahead,
    last ? `last ${runCells(last).join(' ')}` : 'never ran',
  ].map(printable);
}

function runCells(run: ScheduleRun): string[] {
  const passed = Object.entries(run.skipped).map(([reason, count]) => `${reason} ${count}`);
  const looked = run.total === null ? `${run.lookedAt}` : `${run.lookedAt} of ${run.total}`;
  return [
    run.slot.toISOString(),
    run.zone,
    run.state,
    `looked at ${looked}`,
    `queued ${run.queued}`,
    passed.length > 0 ? `skipped ${passed.join(', ')}` : 'skipped 0',
    `errors ${run.errorCount}${run.lastError === null ? '' : `: ${run.lastError}`}`,
  ].map(printable);
}

function progressOf(runs: readonly ScheduleRun[]): string {
  const sum = (pick: (run: ScheduleRun) => number) => runs.reduce((total, run) => total + pick(run), 0);
  const total = runs.some((run) => run.total === null) ? '' : ` of ${sum((run) => run.total ?? 0)}`;
  return `looked at ${sum((run) => run.lookedAt)}${total}, queued ${sum((run) => run.queued)}`;
}

function withDesk(
  cli: Cli,
  options: ShowOptions,
  command: (desk: ScheduleDesk) => Promise<number>,
): Promise<number> {
  return withStore(
    cli,
    options,
    'schedules',
    async (application) => command(await application.schedules()),
    (call) => command(runningSchedules(call)),
  );
}
