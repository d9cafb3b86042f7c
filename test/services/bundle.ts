import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Rolldown } from 'vite';

/**
 * Bundles compiled modules of .build into `.build/bundled/<folder>`, one file for each entry and those they share. A
 * bundle loads in half of the time of the five hundred files it is made of. Packages stay in node_modules, but for those
 * of `inlined`, of which only what is used comes along. Like the compiler it rewrites only what has changed, so a second
 * run beside this one reads whole files.
 */
export async function bundle({ root, folder, entries, inlined = [] }: BundleOptions): Promise<void> {
  const compiled = join(root, '.build');
  const built = await build({
    ...{ root: compiled, configFile: false, logLevel: 'warn', publicDir: false },
    ssr: { noExternal: inlined },
    build: {
      ...{ ssr: true, write: false, minify: false, target: 'node20' },
      rolldownOptions: {
        input: Object.fromEntries(
          Object.entries(entries).map(([name, path]) => [name, join(compiled, path)]),
        ),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  });
  for (const piece of (built as Rolldown.RolldownOutput).output) {
    if (piece.type === 'chunk') replace(join(compiled, 'bundled', folder, piece.fileName), piece.code);
  }
}

export interface BundleOptions {
  root: string;
  folder: string;
  /** The name of each file that is made, and the path in .build it is made of. */
  entries: Record<string, string>;
  inlined?: string[];
}

function replace(path: string, code: string): void {
  try {
    if (readFileSync(path, 'utf8') === code) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, code);
  renameSync(temporary, path);
}
