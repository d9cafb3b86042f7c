import type { TestProject } from 'vitest/node';
import { bringUp } from './bring-up.js';
import { chromium } from './chromium.js';
import { compileSources } from './compile-sources.js';
import { opensmtpd } from './opensmtpd.js';
import { postfix } from './postfix.js';
import { postgres } from './postgres.js';
import { python } from './python.js';
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
  { service: postfix, key: 'postfixUrl' },
  { service: opensmtpd, key: 'opensmtpdUrl' },
  { service: python, key: 'pythonUrl' },
] as const;

declare module 'vitest' {
  interface ProvidedContext {
    /** A superuser or creator of databases on the shared server; null when there is none. */
    postgresUrl: string | null;
    /** The path of a Chromium; null when there is none. */
    chromiumUrl: string | null;
    /** The folder of Postfix's commands, smtp-sink among them; null when there is none. */
    postfixUrl: string | null;
    /** The folder OpenSMTPD was unpacked to; null when there is none. */
    opensmtpdUrl: string | null;
    /** The path of a Python 3; null when there is none. */
    pythonUrl: string | null;
  }
}
