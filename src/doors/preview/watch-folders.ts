/**
 * Tells when a template or a locale changes, once for a burst of writes. Where the system cannot watch, nothing is
 * told and everything else works. The watchers do not keep the process alive.
 */
import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { type Logger, messageOf } from '../../kernel/index.js';

export function watchFolders(folders: readonly string[], logger: Logger, changed: () => void): () => void {
  const watchers: FSWatcher[] = [];
  let burst: NodeJS.Timeout | null = null;
  const later = () => {
    if (burst) clearTimeout(burst);
    burst = setTimeout(changed, BURST_MS);
    burst.unref();
  };
  const give = (error: unknown) =>
    logger.warn({ err: messageOf(error) }, 'templates are not watched; reload the page to see changes');
  try {
    // One by one: watching a tree follows editors' temporary files into errors.
    for (const folder of folders) {
      const watcher = watch(folder, (_, name) => {
        if (name === null || SOURCE.test(name)) later();
      });
      watcher.on('error', give);
      watcher.unref();
      watchers.push(watcher);
    }
  } catch (error) {
    give(error);
  }
  return () => {
    if (burst) clearTimeout(burst);
    for (const watcher of watchers) watcher.close();
  };
}

const BURST_MS = 40;
/** An application's folder also holds what is written all the time, a log for one. */
const SOURCE = /\.(?:html|txt|json|[cm]?js)$/;

/** The folders below a root that hold templates and locales. */
export function templateFolders(root: string): string[] {
  const templates = join(root, 'templates');
  const portals = readdirSync(templates, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [...portals.map(({ name }) => join(templates, name)), join(root, 'locales', 'emails')];
}
