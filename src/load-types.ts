import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf, PostriderError } from './kernel/index.js';
import { type EmailType, isEmailType } from './render/index.js';

/**
 * The types an application declares in a module of its own, for the processes that have no code of the application:
 * the command line and its server. Every export made with defineEmail counts, alone or in a list. A module that cannot
 * be loaded or holds none is INVALID_CONFIG.
 */
export interface TypesModule {
  types: readonly EmailType[];
  /** Where it lies, to be watched. */
  folder: string;
  /** Reads it again; what it imports itself stays as it was. */
  load(): Promise<readonly EmailType[]>;
}

export async function loadTypes(path: string | null): Promise<TypesModule | undefined> {
  if (path === null) return undefined;
  const file = resolve(path);
  let turn = 0;
  const load = () => read(file, turn++);
  return { types: await load(), folder: dirname(file), load };
}

async function read(file: string, turn: number): Promise<readonly EmailType[]> {
  const url = pathToFileURL(file);
  // A module is kept for ever under its address; another address reads it again.
  if (turn > 0) url.searchParams.set('turn', String(turn));
  const found = await import(url.href).catch((error: unknown) => {
    throw invalid(`${file} cannot be loaded: ${messageOf(error)}`, error);
  });
  const exported = Object.values(found as Record<string, unknown>).flat();
  const types = [...new Set(exported.filter(isEmailType))];
  if (types.length === 0) throw invalid(`${file} exports no type made with defineEmail.`);
  return types;
}

function invalid(message: string, cause?: unknown): PostriderError {
  return new PostriderError('INVALID_CONFIG', message, { field: 'POSTRIDER_TYPES', cause });
}
