import { isPostriderError, messageOf } from '../../kernel/index.js';
import { printable, type Terminal } from './terminal.js';

/**
 * Prints what went wrong as code, message and help, and gives the exit code: 2 when what was asked
 * or configured is wrong, 1 for a fault. Something unforeseen keeps its stack, since it is a bug.
 */
export function presentError(terminal: Terminal, error: unknown): number {
  const { red, dim } = terminal.colors;
  if (!isPostriderError(error)) {
    terminal.note(`${red('INTERNAL')} ${messageOf(error)}`);
    if (error instanceof Error && error.stack) terminal.note(dim(error.stack));
    return EXIT_FAULT;
  }
  const field = error.field !== undefined && !WRONG_SETTING.has(error.code) ? ` (${error.field})` : '';
  const lines = error.message.split('\n').map(printable);
  terminal.note(`${red(error.code)} ${lines.join('\n')}${field}`);
  // What shows only in use, `config check` would not see; the message says what helps.
  const inUse = error.code === 'INVALID_CONFIG' && error.cause !== undefined;
  if (!inUse) terminal.note(dim(error.help));
  if (error.code === 'START_FAILED' && error.cause instanceof Error && error.cause.stack)
    terminal.note(dim(error.cause.stack));
  return WRONG_SETTING.has(error.code) || WRONG_INPUT.has(error.status) ? EXIT_USAGE : EXIT_FAULT;
}

export const EXIT_FAULT = 1;
export const EXIT_USAGE = 2;

const WRONG_SETTING: ReadonlySet<string> = new Set(['INVALID_CONFIG', 'NOT_CONFIGURED']);
const WRONG_INPUT = new Set([400, 413, 415, 422]);
