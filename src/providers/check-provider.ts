import { PostriderError } from '../kernel/index.js';

/**
 * Whether an object given as a provider has what one must have; else INVALID_CONFIG that names what it lacks, where it
 * is given and not when it is first needed.
 */
export function checkProvider(provider: unknown, field: string): void {
  const given = (typeof provider === 'object' && provider !== null ? provider : {}) as Record<
    string,
    unknown
  >;
  const lacking = ['send', 'testConnection', 'close'].find((name) => typeof given[name] !== 'function');
  const what = typeof given.name === 'string' && given.name !== '' ? lacking && `${lacking}()` : 'a name';
  if (what === undefined) return;
  throw new PostriderError('INVALID_CONFIG', `${field} has to have ${what}; see the type Provider.`, {
    field,
  });
}
