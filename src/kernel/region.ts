import { PostriderError } from './errors.js';

/** The name of a region, such as ind1. `all` means every one and is none. */
export function isRegionName(name: unknown): boolean {
  return typeof name === 'string' && REGION_NAME.test(name) && name !== 'all';
}

export const REGION_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;

/** What is said of a region nobody here keeps, with those that are. */
export function unknownRegion(
  region: string,
  known: readonly string[],
  options: { field?: string; whose?: string } = {},
): PostriderError {
  const here = known.length === 0 ? 'none has a name' : known.join(', ');
  const message = `There is no region ${region}${options.whose ?? ''} here; those served: ${here}.`;
  return new PostriderError('UNKNOWN_REGION', message, { field: options.field ?? 'region' });
}
