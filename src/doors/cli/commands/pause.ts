import { isPostriderError, PostriderError } from '../../../kernel/index.js';
import type { PauseScope } from '../application.js';
import type { Cli, CommonOptions } from '../cli.js';
import { withStore } from '../with-store.js';

/** `postrider pause`: keeps what is meant from being sent until it is resumed; nothing is lost. */
export function pause(cli: Cli, what: string, options: CommonOptions & { reason?: string }): Promise<number> {
  const { scope, value } = scopeOf(what);
  const said = () => {
    cli.terminal.out(`Paused ${what}.`);
    return 0;
  };
  return withStore(
    cli,
    options,
    'pauses',
    async (application) => {
      await application.pause(scope, value, options.reason ?? null);
      return said();
    },
    async (call) => {
      await call('PUT', '/admin/pauses', { scope, value, reason: options.reason });
      return said();
    },
  );
}

/** `postrider resume`: lifts a pause. Lifting one that does not exist is said, and is no fault. */
export function resume(cli: Cli, what: string, options: CommonOptions): Promise<number> {
  const { scope, value } = scopeOf(what);
  const said = (lifted: boolean) => {
    cli.terminal.out(lifted ? `Resumed ${what}.` : `Nothing was paused as ${what}.`);
    return 0;
  };
  return withStore(
    cli,
    options,
    'pauses',
    async (application) => said((await application.resume(scope, value)) > 0),
    async (call) => {
      const query = new URLSearchParams({ scope, ...(value !== '' && { value }) });
      const lifted = await call('DELETE', `/admin/pauses?${query}`).catch((error: unknown) => {
        if (isPostriderError(error) && error.code === 'NOT_FOUND') return null;
        throw error;
      });
      return said(lifted !== null);
    },
  );
}

function scopeOf(what: string): { scope: PauseScope; value: string } {
  if (what === 'all') return { scope: 'all', value: '' };
  const [, scope, value] = /^(tenant|type|route):(.+)$/s.exec(what) ?? [];
  if (scope !== undefined && value !== undefined) return { scope: scope as PauseScope, value };
  throw new PostriderError('INVALID_PAYLOAD', 'Say all, tenant:<name>, type:<name> or route:<name>.', {
    field: 'what',
  });
}
