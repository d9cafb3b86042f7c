import { PostriderError } from '../../../kernel/index.js';
import type { Application, SendInput } from '../application.js';
import type { Cli, CommonOptions } from '../cli.js';
import { EXIT_FAULT } from '../present-error.js';
import { progress } from '../progress.js';
import { printable } from '../terminal.js';
import { withRunningOrOwn } from '../with-running-or-own.js';

/**
 * `postrider send`: accepts one email. With `--wait` it stays until the email has its final state
 * and returns 0 only when that is `sent`; it delivers nothing itself, a worker does.
 */
export async function send(cli: Cli, options: SendCommandOptions): Promise<number> {
  const input = inputOf(options);
  const limitMs = options.wait === undefined ? null : limitOf(options.wait);
  return withRunningOrOwn(cli, { file: options.config }, async (application) => {
    const { emailId, status } = await application.send(input);
    cli.terminal.out(emailId);
    cli.terminal.note(`Accepted, ${status}.`);
    if (limitMs === null) return 0;
    return progress(cli.terminal, 'Waiting for its final state', (say) =>
      follow(cli, application, { emailId, limitMs, say }),
    );
  });
}

export interface SendCommandOptions extends CommonOptions {
  to: string[];
  subject: string;
  text?: string;
  html?: string;
  from?: string;
  /** Seconds, or true for the usual limit. */
  wait?: string | true;
}

function inputOf({ to, subject, text, html, from }: SendCommandOptions): SendInput {
  if (text === undefined && html === undefined)
    throw new PostriderError('INVALID_PAYLOAD', 'An email needs --text or --html.', { field: '--text' });
  return {
    to: to.length === 1 ? to[0]! : to,
    subject,
    ...(text !== undefined && { text }),
    ...(html !== undefined && { html }),
    ...(from !== undefined && { from }),
  };
}

function limitOf(wait: string | true): number {
  if (wait === true) return USUAL_LIMIT_MS;
  if (/^\d{1,6}$/.test(wait) && Number(wait) > 0) return Number(wait) * 1000;
  throw new PostriderError('INVALID_PAYLOAD', '--wait takes a whole number of seconds.', { field: '--wait' });
}

async function follow(
  cli: Cli,
  application: Pick<Application, 'get' | 'overview'>,
  { emailId, limitMs, say }: { emailId: string; limitMs: number; say: (line: string) => void },
): Promise<number> {
  const end = cli.clock.monotonic() + limitMs;
  let shown: unknown;
  let told = false;
  while (true) {
    const email = await application.get(emailId);
    const status = String(email?.status);
    if (status !== shown) say(`  ${printable(status)}`);
    shown = status;
    if (FINAL.has(status)) {
      if (email?.errorReason) say(`  ${printable(email.errorReason)}`);
      return status === 'sent' ? 0 : EXIT_FAULT;
    }
    const { workers, pauses } = await application.overview();
    if (!workers.some((worker) => worker.alive)) {
      say('  No worker is running, so nothing is sent; start `postrider serve`. The email is kept.');
      return EXIT_FAULT;
    }
    const pause = pauses.find(
      (one) => one.scope === 'all' || one.value === email?.[PAUSED_FIELD[one.scope]!],
    );
    if (pause && !told) {
      const what = pause.scope === 'all' ? 'all' : `${pause.scope}:${pause.value}`;
      const why = pause.reason ? ` (${pause.reason})` : '';
      say(printable(`  Sending is paused${why}; \`postrider resume ${what}\` lets it go.`));
      told = true;
    }
    if (cli.clock.monotonic() >= end) {
      say(
        `  Still ${printable(status)} after ${limitMs / 1000} s; \`postrider status ${emailId}\` tells more.`,
      );
      return EXIT_FAULT;
    }
    await cli.wait(POLL_MS);
  }
}

const FINAL = new Set(['sent', 'failed', 'cancelled', 'suppressed', 'expired', 'unknown']);
/** Where an email's log has what a pause names. */
const PAUSED_FIELD: Record<string, string> = { tenant: 'companyId', type: 'type', route: 'route' };
const USUAL_LIMIT_MS = 60_000;
const POLL_MS = 200;
