import type { Command } from 'commander';
import { PostriderError } from '../../kernel/index.js';

/** The options that say which emails are meant, the same for every command that takes a filter. */
export interface FilterOptions {
  company?: string;
  type?: string;
  recipient?: string;
  status?: string;
  days?: string;
  from?: string;
  to?: string;
}

export function withFilter(command: Command, statuses: string): Command {
  return command
    .option('--company <id>', 'only of this company')
    .option('--type <type>', 'only of this type')
    .option('--recipient <address>', 'only to this address')
    .option('--status <status>', statuses)
    .option('--days <n>', 'only accepted in the last n days')
    .option('--from <time>', 'only accepted at this time or later, as 2030-01-31 or 2030-01-31T09:00:00Z')
    .option('--to <time>', 'only accepted before this time');
}

/** As the library takes it; what is wrong with a value is said there. */
export function filterOf(options: FilterOptions): Record<string, string | number> {
  const { company, type, recipient, status, days, from, to } = options;
  return {
    ...(company !== undefined && { companyId: company }),
    ...(type !== undefined && { type }),
    ...(recipient !== undefined && { recipient }),
    ...(status !== undefined && { status }),
    ...(days !== undefined && { days: numberOf(days, 'days') }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  };
}

export function numberOf(text: string, field: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw new PostriderError('INVALID_PAYLOAD', `${field} must be a number.`, { field });
}
