import type { Command } from 'commander';
import type { Application } from './application.js';

/**
 * What a command changes, as the audit log names it. Every command is an act unless it stands here as one that only
 * looks, runs the process, or speaks the API, which writes the log itself: a new one is noted rather than forgotten.
 */
export interface Act {
  /** `postrider dlq retry` */
  action: string;
  /** What it names, without addresses: the log is kept for ever. */
  target: string | null;
  companyId: string | null;
}

export function actOf(command: Command): Act | null {
  const name = nameOf(command);
  const [first = ''] = name.split(' ');
  const options: { company?: unknown; yes?: unknown } = command.opts();
  if (OVER_THE_API.has(first) || NO_ACT.test(name)) return null;
  if (ONLY_WITH_YES.has(name) && options.yes !== true) return null;
  const named = command.args.map((part) => (part.includes('@') ? '(address)' : part.slice(0, 128)));
  return {
    action: `postrider ${name}`,
    target: named.length === 0 ? null : named.join(' ').slice(0, 512),
    companyId: typeof options.company === 'string' ? options.company.slice(0, 128) : null,
  };
}

/** Before the act, so that a crash leaves a line too many; after it where the act is what makes the store. */
export async function noteAround<T>(
  application: Application,
  act: Act | null,
  command: () => Promise<T>,
): Promise<T> {
  if (act === null) return command();
  const noted = await application.noteAct(act);
  const result = await command();
  if (!noted) await application.noteAct(act);
  return result;
}

const OVER_THE_API = new Set(['tenants', 'keys', 'admin', 'webhooks']);
const NO_ACT =
  /^(?:dev|serve|migrate|send|status|doctor|config .*|bus status|alerts test|(?:.* )?(?:list|show|runs|export|preview|check|overrides|versions))$/;
const ONLY_WITH_YES = new Set(['cancel', 'erase']);

function nameOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) names.unshift(at.name());
  return names.join(' ');
}
