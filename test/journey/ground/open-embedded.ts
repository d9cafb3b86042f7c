import type * as Library from '../../../src/index.js';
import { createEmbeddedFolder } from '../../services/index.js';
import { type ScriptedProvider, scriptedProvider } from './scripted-provider.js';

/**
 * Postrider on the embedded store in a folder of its own, from the compiled sources: the database's thread
 * needs compiled files.
 */
export async function openEmbedded(): Promise<{
  postrider: Library.Postrider;
  provider: ScriptedProvider;
  close(): Promise<void>;
}> {
  const { createPostrider } = await compiled<typeof Library>('src/index.js');
  const { folder, remove } = await createEmbeddedFolder();
  const provider = scriptedProvider();
  const postrider = createPostrider({
    database: { folder },
    provider,
    from: { address: 'noreply@example.com' },
    config: { log: { level: 'error' }, worker: { pollIntervalMs: 100 } },
  });
  await postrider.ready();
  return {
    postrider,
    provider,
    async close() {
      await postrider.stop({ deadlineMs: 2000 });
      await remove();
    },
  };
}

/** A module of .build, which the global setup has compiled, with the types of its source. */
export async function compiled<Module>(path: string): Promise<Module> {
  return (await import(new URL(`../../../.build/${path}`, import.meta.url).href)) as Module;
}
