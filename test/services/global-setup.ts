import type { TestProject } from 'vitest/node';
import { bringUp } from './bring-up.js';
import { chromium } from './chromium.js';
import { compileSources } from './compile-sources.js';
import { postgres } from './postgres.js';
import { removeOwnWorkspaces, removeOwnWorkspacesOnSignals, removeStaleWorkspaces } from './workspace.js';

/**
 * Runs once before the tests that need servers: brings each service up, prints one line about it, and hands
 * its URL to the tests. Everything goes again at the end, on an interrupt, and after a SIGKILL at the next start.
 */
export default async function setup(project: TestProject): Promise<() => void> {
  const inCi = process.env.CI === 'true';
  removeOwnWorkspacesOnSignals();
  const stale = removeStaleWorkspaces();
  if (stale > 0) console.log(`services: removed ${stale} left by a run that was killed`);
  await compileSources(project.config.root, { strict: inCi });
  for (const { service, key } of SERVICES) {
    const outcome = await bringUp(service, { maySkip: !inCi });
    project.provide(key, outcome.running ? outcome.url : null);
    console.log(
      outcome.running
        ? `services: ${service.name} from ${outcome.origin}`
        : `services: ${service.name} is skipped, because ${outcome.because}`,
    );
  }
  return removeOwnWorkspaces;
}

const SERVICES = [
  { service: postgres, key: 'postgresUrl' },
  { service: chromium, key: 'chromiumUrl' },
] as const;

declare module 'vitest' {
  interface ProvidedContext {
    /** A superuser or creator of databases on the shared server; null when there is none. */
    postgresUrl: string | null;
    /** The path of a Chromium; null when there is none. */
    chromiumUrl: string | null;
  }
}
