import { Resolver } from 'node:dns/promises';

/** The TXT records of a name, each joined from its parts; a name that has none and a server that is silent give none. */
export async function resolveTxt(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code === 'string') return [];
    throw error;
  }
}
