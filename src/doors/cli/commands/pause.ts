import { PostriderError } from '../../../kernel/index.js';
import type { Application, PauseScope } from '../application.js';
import type { Cli, CommonOptions } from '../cli.js';
import { withApplication } from '../with-application.js';
import { runningBeside } from '../with-running-or-own.js';

/** `postrider pause`: keeps what is meant from being sent until it is resumed; nothing is lost. */
export function pause(cli: Cli, what: string, options: CommonOptions & { reason?: string }): Promise<number> {
  const { scope, value } = scopeOf(what);
  return withStore(cli, options, async (application) => {
    await application.pause(scope, value, options.reason ?? null);
    cli.terminal.out(`Paused ${what}.`);
    return 0;
  });
}

/** `postrider resume`: lifts a pause. Lifting one that does not exist is said, and is no fault. */
export function resume(cli: Cli, what: string, options: CommonOptions): Promise<number> {
  const { scope, value } = scopeOf(what);
  return withStore(cli, options, async (application) => {
    const lifted = await application.resume(scope, value);
    cli.terminal.out(lifted === 0 ? `Nothing was paused as ${what}.` : `Resumed ${what}.`);
    return 0;
  });
}

/** An embedded store that is open elsewhere cannot be reached; its pauses are not part of the API. */
async function withStore(
  cli: Cli,
  options: CommonOptions,
  command: (application: Application) => Promise<number>,
): Promise<number> {
  const input = { file: options.config };
  try {
    return await withApplication(cli, input, command);
  } catch (error) {
    const running = await runningBeside(cli, input, error);
    if (running === null) throw error;
    const message = `Postrider runs at ${running.url} and keeps the embedded store to itself; stop it first, or use PostgreSQL (DATABASE_URL), where pauses work beside it.`;
    throw new PostriderError('STORE_LOCKED', message, { cause: error });
  }
}

function scopeOf(what: string): { scope: PauseScope; value: string } {
  if (what === 'all') return { scope: 'all', value: '' };
  const [, scope, value] = /^(tenant|type|route):(.+)$/s.exec(what) ?? [];
  if (scope !== undefined && value !== undefined) return { scope: scope as PauseScope, value };
  throw new PostriderError('INVALID_PAYLOAD', 'Say all, tenant:<name>, type:<name> or route:<name>.', {
    field: 'what',
  });
}
