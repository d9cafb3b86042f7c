import { isUuid, PostriderError } from '../../../kernel/index.js';
import type { Overview, RouteSeen, TimelineEvent } from '../application.js';
import type { Cli } from '../cli.js';
import { columns } from '../columns.js';
import { printable, type Terminal } from '../terminal.js';
import { withApplication } from '../with-application.js';
import { runningBeside, withRunningOrOwn } from '../with-running-or-own.js';
import type { ShowOptions } from './config.js';

/** `postrider status`: the whole at a glance, or one email with everything that happened to it. */
export function status(cli: Cli, emailId: string | undefined, options: ShowOptions): Promise<number> {
  return emailId === undefined ? overall(cli, options) : ofEmail(cli, emailId, options);
}

async function overall(cli: Cli, options: ShowOptions): Promise<number> {
  const input = { file: options.config };
  try {
    return await withApplication(cli, input, async (application) => {
      const overview = await application.overview();
      if (options.json) cli.terminal.out(JSON.stringify(overview, null, 2));
      else presentOverview(cli.terminal, overview);
      return 0;
    });
  } catch (error) {
    const running = await runningBeside(cli, input, error);
    if (running === null || options.json) throw error;
    cli.terminal.out(`Postrider runs at ${running.url} and keeps the store to itself while it does.`);
    cli.terminal.out('Open that page for the whole, or ask for one email: postrider status <id>');
    return 0;
  }
}

function ofEmail(cli: Cli, emailId: string, options: ShowOptions): Promise<number> {
  if (!isUuid(emailId))
    throw new PostriderError('INVALID_PAYLOAD', 'That is not the id of an email.', { field: 'emailId' });
  return withRunningOrOwn(cli, { file: options.config }, async (application) => {
    const email = await application.get(emailId);
    if (email === null) throw new PostriderError('EMAIL_NOT_FOUND', `There is no email ${emailId}.`);
    const events = await application.timeline(emailId);
    if (options.json) cli.terminal.out(JSON.stringify({ email, events }, null, 2));
    else presentEmail(cli.terminal, email, events);
    return 0;
  });
}

function presentOverview(terminal: Terminal, overview: Overview): void {
  const counts = Object.entries(overview.byStatus).filter(([, count]) => count > 0);
  const emails = counts.map(([name, count]) => `${name} ${count}`).join(' · ') || 'none yet';
  const oldest = overview.oldestWaitingSeconds;
  const rows = [['emails', overview.estimated ? `about ${emails}` : emails]];
  if (oldest !== null) rows.push(['oldest', `waiting for ${Math.round(oldest)} s`]);
  for (const worker of overview.workers) {
    const state = worker.alive ? 'alive' : 'gone';
    const beat = `last beat ${(worker.beatAgeMs / 1000).toFixed(1)} s ago`;
    rows.push(['worker', printable(`${worker.name} (${worker.host}, pid ${worker.pid}) ${state}, ${beat}`)]);
  }
  if (overview.workers.length === 0) rows.push(['worker', 'none; nothing is being sent']);
  for (const route of overview.routes) rows.push(['route', printable(routeLine(route, overview))]);
  for (const { scope, value, reason, events, createdAt } of overview.pauses) {
    const what =
      value === ''
        ? `${scope}${events ? ' with webhooks, bus events and schedules' : ''}`
        : `${scope}:${value}`;
    rows.push(['paused', printable(`${what} since ${createdAt}${reason ? `: ${reason}` : ''}`)]);
  }
  for (const line of columns(rows)) terminal.out(line);
}

function routeLine({ name, provider, ...route }: RouteSeen, { estimated }: Overview): string {
  const parts = [provider === null ? `${name} (not configured)` : `${name} (${provider})`];
  if (route.circuit === 'closed') parts.push('circuit closed');
  else {
    const probed = route.opensInMs === null ? '' : `, probed in ${Math.ceil(route.opensInMs / 1000)} s`;
    parts.push(`circuit ${route.circuit}${route.reason ? ` (${route.reason})` : ''}${probed}`);
  }
  if (route.ratePerSecond !== null) parts.push(`${route.ratePerSecond}/s`);
  if (route.paused) parts.push('paused');
  parts.push(`${estimated && route.waiting > 0 ? 'about ' : ''}${route.waiting} waiting`);
  return parts.join(' · ');
}

function presentEmail(terminal: Terminal, email: Record<string, unknown>, events: TimelineEvent[]): void {
  const fields = Object.entries(email).filter(([, value]) => value !== null && value !== undefined);
  for (const line of columns(fields.map(([name, value]) => [name, printable(value)]))) terminal.out(line);
  terminal.out('');
  const rows = events.map(({ sequence, type, createdAt, metadata }) => {
    const details = Object.keys(metadata).length === 0 ? '' : printable(metadata);
    return [String(sequence), createdAt, type, details];
  });
  for (const line of columns(rows)) terminal.out(line);
}
