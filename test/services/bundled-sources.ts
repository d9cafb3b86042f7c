import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { Plugin } from 'vite';
import { bundle } from './bundle.js';

/**
 * Tests with servers import Postrider from a bundle of its compiled sources, which Node loads by itself. Each test file
 * has a process of its own; transformed by vite, the five hundred modules of the sources cost each of them two seconds.
 * Fixtures stay with vite, because they import vitest, and so do the sources of a test that replaces modules by `vi.mock`.
 */
export async function bundleSources(root: string): Promise<void> {
  const entries: Record<string, string> = { 'pglite-thread': 'src/store/pglite/pglite-thread.js' };
  for (const path of importedSources(root)) entries[nameOf(path)] = path;
  await bundle({ root, folder: FOLDER, entries });
}

/** Answers imports of the sources with their bundle. */
export function sourcesFromBundle(root: string): Plugin {
  return {
    name: 'sources-from-bundle',
    enforce: 'pre',
    resolveId(specifier, importer) {
      const path = importer && sourceOf(root, importer, specifier);
      if (!path || isOwnCopy(root, importer)) return null;
      const id = join(root, '.build/bundled', FOLDER, `${nameOf(path)}.js`);
      if (existsSync(id)) return { id, external: true };
      throw new Error(
        `${path}, which ${relative(root, importer)} imports, is not in the bundle of the sources`,
      );
    },
  };
}

/** Whether the importer has sources of its own: it replaces modules, or is one of the sources of a test that does. */
function isOwnCopy(root: string, importer: string): boolean {
  if (!importer.endsWith('.test.ts'))
    return importer.startsWith(join(root, 'src')) && !importer.endsWith('.fixture.ts');
  const known = replacing.get(importer) ?? /^vi\.mock\('\.[^']*\/src\//m.test(readFileSync(importer, 'utf8'));
  replacing.set(importer, known);
  return known;
}

const replacing = new Map<string, boolean>();

/** What vitest hands to Node as it is. */
export const BUNDLED = /\/\.build\/bundled\//;

const FOLDER = 'sources';

/** One folder for all: what the sources look for beside them is found from any of them. */
function nameOf(path: string): string {
  return path
    .replace(/^src\//, '')
    .replace(/\.js$/, '')
    .replaceAll('/', '.');
}

/** The sources that tests, their fixtures and the benches import, as paths from the root that end in .js. */
function importedSources(root: string): Set<string> {
  const importers = ['test', 'bench', 'src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => (folder === 'src' ? /\.fixture\.ts$/ : /\.ts$/).test(path))
      .map((path) => join(root, folder, path)),
  );
  const found = new Set<string>();
  for (const importer of importers) {
    for (const [, specifier = ''] of readFileSync(importer, 'utf8').matchAll(IMPORT)) {
      const path = sourceOf(root, importer, specifier);
      if (path) found.add(path);
    }
  }
  return found;
}

/** `import … from`, `export … from` and `import()`; types alone are left out. */
const IMPORT = /^(?!import type)(?:import|export|\})?[^'\n]*?\b(?:from |import\()'(\.[^']+\.js)'/gm;

function sourceOf(root: string, importer: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  const path = relative(root, join(dirname(importer), specifier))
    .split(sep)
    .join('/');
  const isSource = path.startsWith('src/') && path.endsWith('.js') && !path.endsWith('.fixture.js');
  return isSource ? path : null;
}
