import type { Command } from 'commander';
import { PostriderError } from '../../../kernel/index.js';
import type {
  CountedBy,
  QuotaEntry,
  QuotaPeriod,
  Quotas,
  RateLimitEntry,
  RateLimits,
} from '../../../policy/index.js';
import type { Cli, CommonOptions } from '../cli.js';
import { columns } from '../columns.js';
import { everyPage, PAGE } from '../every-page.js';
import { numberOf } from '../filter-options.js';
import { runningLimits } from '../running-limits.js';
import { printable } from '../terminal.js';
import { withStore } from '../with-store.js';

/** `postrider limits` and `postrider quotas`: how much may be sent to one recipient, and by one company. */
interface LimitOptions extends CommonOptions {
  company?: string;
  json?: boolean;
}

interface PersonOptions extends LimitOptions {
  /** They are named by a userId, not by an address. */
  user?: boolean;
}

/** Those of the store, or of the process that has it. */
function withLimits(
  cli: Cli,
  options: LimitOptions,
  command: (limits: { rateLimits: RateLimits; quotas: Quotas }) => Promise<number>,
): Promise<number> {
  return withStore(
    cli,
    options,
    'limits',
    async (application) => command(await application.limits()),
    (call) => command(runningLimits(call)),
  );
}

function limitsList(cli: Cli, options: LimitOptions): Promise<number> {
  return withLimits(cli, options, async ({ rateLimits }) => {
    show(cli, options, await rateLimits.list({ companyId: options.company }), limitCells);
    return 0;
  });
}

/** `once` and `none` instead of a number per window. */
function limitsSet(cli: Cli, type: string, how: string, options: LimitOptions): Promise<number> {
  const change = { type, companyId: options.company, ...readLimit(how) };
  return withLimits(cli, options, async ({ rateLimits }) => {
    show(cli, options, [await rateLimits.set(change)], limitCells);
    return 0;
  });
}

function limitsRemove(cli: Cli, type: string, options: LimitOptions): Promise<number> {
  return withLimits(cli, options, async ({ rateLimits }) => {
    const removed = await rateLimits.remove({ type, companyId: options.company });
    cli.terminal.out(removed ? `What was set for ${printable(type)} is gone.` : 'Nothing was set.');
    return 0;
  });
}

function limitsCheck(cli: Cli, whom: string, type: string, options: PersonOptions): Promise<number> {
  return withLimits(cli, options, async ({ rateLimits }) => {
    const { limit, remaining, resetAt, allowed } = await rateLimits.check(countedBy(whom, type, options));
    if (options.json) cli.terminal.out(JSON.stringify({ allowed, limit, remaining, resetAt }));
    else if (limit === null) cli.terminal.out('No limit.');
    else cli.terminal.out(`${remaining} of ${limit} left, anew ${resetAt?.toISOString() ?? 'never'}`);
    return 0;
  });
}

function limitsReset(cli: Cli, whom: string, type: string, options: PersonOptions): Promise<number> {
  return withLimits(cli, options, async ({ rateLimits }) => {
    const counted = await rateLimits.reset(countedBy(whom, type, options));
    if (options.json) cli.terminal.out(JSON.stringify({ counted }));
    else cli.terminal.out(counted === 0 ? 'Nothing was counted.' : `${counted} counted, and none any more.`);
    return 0;
  });
}

function countedBy(whom: string, type: string, { user, company }: PersonOptions): CountedBy {
  return { ...(user ? { userId: whom } : { address: whom }), type, companyId: company };
}

function quotasList(cli: Cli, options: LimitOptions): Promise<number> {
  return withLimits(cli, options, async ({ quotas }) => {
    const all = await everyPage(async (cursor) => {
      const page = await quotas.list({ companyId: options.company, limit: PAGE, cursor });
      return { rows: page.quotas, next: page.nextCursor };
    });
    show(cli, options, all, quotaCells);
    return 0;
  });
}

function quotasSet(cli: Cli, companyId: string, how: string, options: LimitOptions): Promise<number> {
  const [, number, period] = /^(\d{1,13})\/(day|month)$/.exec(how) ?? [];
  if (number === undefined)
    throw new PostriderError('INVALID_PAYLOAD', 'Say how many, as 10000/day or 200000/month.', {
      field: 'quota',
    });
  const change = { companyId, period: period as QuotaPeriod, limit: numberOf(number, 'limit') };
  return withLimits(cli, options, async ({ quotas }) => {
    show(cli, options, [await quotas.set(change)], quotaCells);
    return 0;
  });
}

function quotasRemove(cli: Cli, companyId: string, period: string, options: LimitOptions): Promise<number> {
  return withLimits(cli, options, async ({ quotas }) => {
    const removed = await quotas.remove({ companyId, period: period as QuotaPeriod });
    cli.terminal.out(removed ? `${printable(companyId)} has no quota a ${period}.` : 'There was none.');
    return 0;
  });
}

function show<T>(cli: Cli, { json }: LimitOptions, entries: readonly T[], cells: (entry: T) => string[]) {
  if (json) cli.terminal.out(JSON.stringify(entries, null, 2));
  else if (entries.length === 0) cli.terminal.out('None.');
  else for (const line of columns(entries.map(cells))) cli.terminal.out(line);
}

function limitCells({ type, companyId, limit, windowSeconds, source }: RateLimitEntry): string[] {
  const window = windowSeconds === null ? 'once and for all' : `per ${windowText(windowSeconds)}`;
  return [
    printable(type),
    companyId === null ? 'every company' : printable(companyId),
    limit === null ? 'no limit' : `${limit} ${window}`,
    source,
  ];
}

function quotaCells({ companyId, period, limit, used, resetAt }: QuotaEntry): string[] {
  return [printable(companyId), `${limit} a ${period}`, `${used} used`, `anew ${resetAt.toISOString()}`];
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

function windowText(seconds: number): string {
  const unit = ['d', 'h', 'm'].find((name) => seconds % UNITS[name]! === 0) ?? 's';
  return `${seconds / UNITS[unit]!}${unit}`;
}

function readLimit(how: string): { limit: number | null; windowSeconds: number | null } {
  if (how === 'none') return { limit: null, windowSeconds: null };
  if (how === 'once') return { limit: 1, windowSeconds: null };
  const [, limit, count = '1', unit] = /^(\d{1,6})\/(\d{1,8})?([smhd])$/.exec(how) ?? [];
  if (limit === undefined || unit === undefined)
    throw new PostriderError('INVALID_PAYLOAD', 'Say how many in what time, as 3/h, 1/14d, once or none.', {
      field: 'limit',
    });
  return { limit: Number(limit), windowSeconds: Number(count) * UNITS[unit]! };
}

type Run = (running: Promise<number>) => Promise<void>;

export function describeLimits(program: Command, cli: Cli, run: Run): void {
  const company = ['--company <id>', 'for this company alone'] as const;
  const limits = program.command('limits').description('how often one recipient may get a type');
  const limit = (name: string, says: string) =>
    limits
      .command(name)
      .description(says)
      .option(...company)
      .option('--json', 'as JSON');
  limit('list', 'every limit, declared or set').action((_, self: Command) =>
    run(limitsList(cli, self.optsWithGlobals())),
  );
  limit('set <type> <limit>', 'a limit such as 3/h or 1/14d; once; or none to lift it').action(
    (type, how, _, self: Command) => run(limitsSet(cli, type, how, self.optsWithGlobals())),
  );
  limit('remove <type>', 'back to what the type declares').action((type, _, self: Command) =>
    run(limitsRemove(cli, type, self.optsWithGlobals())),
  );
  const byUser = ['--user', '<whom> is the userId of a type that counts users'] as const;
  limit('check <whom> <type>', 'what this address or user has left')
    .option(...byUser)
    .action((whom, type, _, self: Command) => run(limitsCheck(cli, whom, type, self.optsWithGlobals())));
  limit('reset <whom> <type>', 'count this address or user anew, so that the next email may go')
    .option(...byUser)
    .action((whom, type, _, self: Command) => run(limitsReset(cli, whom, type, self.optsWithGlobals())));
  const quotas = program.command('quotas').description('how many emails a company may send');
  const quota = (name: string, says: string) =>
    quotas.command(name).description(says).option('--json', 'as JSON');
  quota('list', 'every quota and what is used of it')
    .option(...company)
    .action((_, self: Command) => run(quotasList(cli, self.optsWithGlobals())));
  quota('set <companyId> <quota>', 'a quota such as 10000/day or 200000/month').action(
    (companyId, how, _, self: Command) => run(quotasSet(cli, companyId, how, self.optsWithGlobals())),
  );
  quota('remove <companyId> <period>', 'lift the quota a day or month').action(
    (companyId, period, _, self: Command) =>
      run(quotasRemove(cli, companyId, period, self.optsWithGlobals())),
  );
}
