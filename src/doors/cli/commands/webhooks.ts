import type { Command } from 'commander';
import type { Cli, CommonOptions } from '../cli.js';
import { columns } from '../columns.js';
import { printable } from '../terminal.js';
import { withApi } from '../with-api.js';

/** `postrider webhooks …`: where applications are told what became of their emails. */
export function webhooksCreate(cli: Cli, url: string, options: WebhookOptions): Promise<number> {
  return withApi(cli, options, async (call) => {
    const made = await call<Endpoint & { secret: string }>('POST', '/admin/webhooks', {
      url,
      ...(options.event !== undefined && { events: options.event }),
      ...(options.company !== undefined && { companyId: options.company }),
      ...(options.note !== undefined && { description: options.note }),
    });
    cli.terminal.out(`${made.id}  ${made.secret}`);
    cli.terminal.note('The secret is shown this once; give it to whoever receives the events.');
    return 0;
  });
}

export function webhooksList(cli: Cli, options: WebhookOptions): Promise<number> {
  return withApi(cli, options, async (call) => {
    const query = options.company === undefined ? '' : `?companyId=${encodeURIComponent(options.company)}`;
    const { webhooks } = await call<{ webhooks: Endpoint[] }>('GET', `/admin/webhooks${query}`);
    if (options.json) cli.terminal.out(JSON.stringify(webhooks, null, 2));
    else
      for (const line of columns(
        webhooks.map((one) => [
          ...[one.id, one.companyId, one.status, printable(one.url), one.events.join(',')],
          printable(one.disabledReason ?? one.description ?? ''),
        ]),
      ))
        cli.terminal.out(line);
    return 0;
  });
}

export function webhooksSwitch(
  cli: Cli,
  id: string,
  options: CommonOptions & { status: 'enabled' | 'disabled' },
): Promise<number> {
  return withApi(cli, options, async (call) => {
    const { status, url } = await call<Endpoint>('PATCH', pathOf(id), { status: options.status });
    cli.terminal.out(`${status}  ${printable(url)}`);
    return 0;
  });
}

export function webhooksRemove(cli: Cli, id: string, options: CommonOptions): Promise<number> {
  return withApi(cli, options, async (call) => {
    await call('DELETE', pathOf(id));
    cli.terminal.out('removed');
    return 0;
  });
}

export function webhooksRotate(
  cli: Cli,
  id: string,
  options: CommonOptions & { overlap?: string },
): Promise<number> {
  return withApi(cli, options, async (call) => {
    const body = options.overlap === undefined ? {} : { overlapHours: Number(options.overlap) };
    const { secret } = await call<{ secret: string }>('POST', `${pathOf(id)}/rotate`, body);
    cli.terminal.out(secret);
    return 0;
  });
}

export function webhooksDeliveries(
  cli: Cli,
  id: string,
  options: CommonOptions & { status?: string; json?: boolean },
): Promise<number> {
  return withApi(cli, options, async (call) => {
    const query = options.status === undefined ? '' : `?status=${encodeURIComponent(options.status)}`;
    const { deliveries } = await call<{ deliveries: Delivery[] }>('GET', `${pathOf(id)}/deliveries${query}`);
    if (options.json) cli.terminal.out(JSON.stringify(deliveries, null, 2));
    else
      for (const line of columns(
        deliveries.map((one) => [
          ...[one.id, one.type, one.status, String(one.attempts), one.createdAt, one.nextAttemptAt ?? ''],
        ]),
      ))
        cli.terminal.out(line);
    return 0;
  });
}

export function webhooksReplay(
  cli: Cli,
  id: string,
  options: CommonOptions & { delivery?: string; since?: string; until?: string; all?: boolean },
): Promise<number> {
  return withApi(cli, options, async (call) => {
    const { delivery, since, until, all } = options;
    const { replayed } =
      delivery === undefined
        ? await call<{ replayed: number }>('POST', `${pathOf(id)}/replay`, {
            ...(since !== undefined && { since }),
            ...(until !== undefined && { until }),
            ...(all && { status: 'all' }),
          })
        : await call<{ replayed: number }>(
            'POST',
            `${pathOf(id)}/deliveries/${encodeURIComponent(delivery)}/replay`,
          );
    cli.terminal.out(`${replayed} replayed`);
    return 0;
  });
}

export function describeWebhooks(program: Command, cli: Cli, run: Run): void {
  const parent = program
    .command('webhooks')
    .description('where applications are told what became of their emails');
  const command = (name: string, says: string) => parent.command(name).description(says);
  command('create <url>', 'tell this address; shows its secret')
    .option('--company <id>', 'whose emails, instead of the default company')
    .option('--event <type...>', 'only these, such as email.sent')
    .option('--note <text>', 'what it is for')
    .action((url, _, self) => run(webhooksCreate(cli, url, self.optsWithGlobals())));
  command('list', 'all of them')
    .option('--company <id>', 'of this company only')
    .option('--json', 'as JSON')
    .action((_, self) => run(webhooksList(cli, self.optsWithGlobals())));
  for (const [name, says, status] of [
    ['enable', 'tell it again', 'enabled'],
    ['disable', 'tell it nothing for now', 'disabled'],
  ] as const)
    command(`${name} <id>`, says).action((id, _, self) =>
      run(webhooksSwitch(cli, id, { ...self.optsWithGlobals(), status })),
    );
  command('remove <id>', 'forget it and what it was told').action((id, _, self) =>
    run(webhooksRemove(cli, id, self.optsWithGlobals())),
  );
  command('rotate <id>', 'give it a new secret; the old one signs too for a while')
    .option('--overlap <hours>', 'for how long (24)')
    .action((id, _, self) => run(webhooksRotate(cli, id, self.optsWithGlobals())));
  command('deliveries <id>', 'what it was told, the newest first')
    .option('--status <name>', 'pending, success or failed')
    .option('--json', 'as JSON')
    .action((id, _, self) => run(webhooksDeliveries(cli, id, self.optsWithGlobals())));
  command('replay <id>', 'tell again what failed since then, or one delivery')
    .option('--delivery <id>', 'this one, whatever became of it')
    .option('--since <time>', 'from this time on, as 2030-01-31 or 2030-01-31T09:00:00Z')
    .option('--until <time>', 'up to this time')
    .option('--all', 'also what got through')
    .action((id, _, self) => run(webhooksReplay(cli, id, self.optsWithGlobals())));
}

type Run = (running: Promise<number>) => Promise<void>;

interface WebhookOptions extends CommonOptions {
  company?: string;
  event?: string[];
  note?: string;
  json?: boolean;
}

interface Endpoint {
  id: string;
  companyId: string;
  url: string;
  events: string[];
  description: string | null;
  status: string;
  disabledReason: string | null;
}

interface Delivery {
  id: string;
  type: string;
  status: string;
  attempts: number;
  createdAt: string;
  nextAttemptAt: string | null;
}

function pathOf(id: string): string {
  return `/admin/webhooks/${encodeURIComponent(id)}`;
}
