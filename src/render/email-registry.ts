import { didYouMean, PostriderError } from '../kernel/index.js';
import { isEmailType } from './check-declaration.js';
import type { EmailType } from './define-email.js';

/** Every type that can be sent, by name: the built-in ones, and the application's, which win. */
export interface EmailRegistry {
  find(type: string): EmailType | undefined;
  /** Throws UNKNOWN_TYPE, with the likely name where there is one. */
  get(type: string): EmailType;
  list(): readonly EmailType[];
  /** Declared by the application, also in place of a built-in one. */
  isOwn(type: string): boolean;
}

export function createEmailRegistry(
  builtIn: readonly EmailType[],
  own: readonly EmailType[] = [],
): EmailRegistry {
  const types = new Map(builtIn.map((type) => [type.type, type]));
  const names = new Set<string>();
  for (const [index, type] of own.entries()) {
    if (!isEmailType(type))
      throw new PostriderError('INVALID_CONFIG', `types[${index}] is not made with defineEmail.`, {
        field: `types[${index}]`,
      });
    if (names.has(type.type))
      throw new PostriderError('INVALID_CONFIG', `The email type ${type.type} is declared twice.`, {
        field: 'types',
      });
    names.add(type.type);
    types.set(type.type, type);
  }
  return {
    find: (type) => types.get(type),
    get(type) {
      const found = types.get(type);
      if (found) return found;
      const suggestion = didYouMean(type, [...types.keys()]);
      const hint = suggestion === null ? '' : `; did you mean ${suggestion}`;
      throw new PostriderError('UNKNOWN_TYPE', `type ${type} is not declared${hint}`, { field: 'type' });
    },
    list: () => [...types.values()],
    isOwn: (type) => names.has(type),
  };
}
