import { PostriderError } from '../../../kernel/index.js';
import { ROLES, type Role, USUAL_ROLES } from '../application.js';
import type { Cli, CommonOptions } from '../cli.js';
import { runUntilStopped } from '../run-until-stopped.js';

/**
 * `postrider serve`: runs the roles asked for until it is told to stop. With `--hold` it sends
 * nothing before `postrider resume all`, for a store restored from a backup.
 */
export function serve(
  cli: Cli,
  options: CommonOptions & { roles?: string; hold?: boolean },
): Promise<number> {
  const asked = options.roles === undefined ? null : rolesOf(options.roles);
  return runUntilStopped(cli, { file: options.config }, async (application, config) => {
    const roles = asked ?? USUAL_ROLES.filter((role) => role !== 'worker' || config.worker.enabled);
    await application.serve({ roles, hold: options.hold ?? false });
    const where =
      roles.includes('api') && config.http.port !== 0
        ? ` at http://${config.http.host}:${config.http.port}`
        : '';
    cli.terminal.note(`Postrider runs as ${roles.join(' and ')}${where}.`);
    if (options.hold) cli.terminal.note('Sending is held; `postrider resume all` lets it go.');
  });
}

function rolesOf(text: string): Role[] {
  const named = text.split(',').map((role) => role.trim());
  const known = named.filter((role): role is Role => ROLES.some((one) => one === role));
  if (known.length === named.length) return [...new Set(known)];
  throw new PostriderError('INVALID_PAYLOAD', `The roles are ${ROLES.join(', ')}, separated by commas.`, {
    field: '--roles',
  });
}
