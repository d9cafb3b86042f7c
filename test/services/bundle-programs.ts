import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Rolldown } from 'vite';

/**
 * The programs that tests start by the hundred, as few files each: the child that chaos tests kill, and the command
 * line. Reading the five hundred files they are compiled to takes half of their start. Needs the compiled sources. What
 * comes from node_modules stays there, but for zod, of which only what is used comes along. Like the compiler it
 * rewrites only what has changed, so a second run beside this one reads whole files.
 */
export async function bundlePrograms(root: string): Promise<void> {
  const compiled = join(root, '.build');
  const place = join(compiled, 'bundled', 'programs');
  const built = await build({
    ...{ root: compiled, configFile: false, logLevel: 'warn', publicDir: false },
    ssr: { noExternal: ['zod'] },
    build: {
      ...{ ssr: true, write: false, minify: false, target: 'node20' },
      rolldownOptions: {
        input: {
          child: join(compiled, 'test/chaos/ground/child.js'),
          main: join(compiled, 'src/doors/cli/main.js'),
          // Started by its name, which it must keep.
          'pglite-thread': join(compiled, 'src/store/pglite/pglite-thread.js'),
        },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  });
  for (const piece of (built as Rolldown.RolldownOutput).output) {
    if (piece.type === 'chunk') replace(join(place, piece.fileName), piece.code);
  }
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
