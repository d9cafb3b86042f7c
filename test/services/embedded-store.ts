import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type * as Store from '../../src/store/index.js';
import { openWorkspace } from './workspace.js';

/**
 * Folders of the embedded store as a second start finds them. Making a cluster takes seconds of work, so one is made
 * before the tests and copied; what a first start does is tested where stores are.
 */
export async function makeEmbeddedStore(root: string): Promise<string> {
  const { directory } = openWorkspace('embedded');
  const store = (await import(join(root, '.build/src/store/index.js'))) as typeof Store;
  const database = await store.openDatabase({ folder: directory });
  await store.migrate(database);
  await database.close();
  return join(directory, 'pgdata');
}

export async function createEmbeddedFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const made = inject('embeddedStore');
  if (!made)
    throw new Error('no embedded store was made: the file must name createEmbeddedFolder or openEmbedded');
  const folder = await mkdtemp(join(tmpdir(), 'postrider-embedded-'));
  await cp(made, join(folder, 'pgdata'), { recursive: true });
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
