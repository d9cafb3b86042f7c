import type { TestProject } from 'vitest/node';
import { bringUp } from './bring-up.js';
import { buildDashboard } from './build-dashboard.js';
import { bundleChild } from './bundle-child.js';
import { chromium } from './chromium.js';
import { compileSources } from './compile-sources.js';
import { makeEmbeddedStore } from './embedded-store.js';
import { isNeeded } from './is-needed.js';
import { opensmtpd } from './opensmtpd.js';
import { postfix } from './postfix.js';
import { postgres } from './postgres.js';
import { python } from './python.js';
import { rabbitmq } from './rabbitmq.js';
import { redis } from './redis.js';
import type { Service } from './service.js';
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
  await bundleChild(project.config.root);
  await buildDashboard(project.config.root);
  // Beside the servers: it works in a thread of its own.
  const embedded = (await isNeeded(project, EMBEDDED)) ? makeEmbeddedStore(project.config.root) : null;
  for (const { service, key } of SERVICES) {
    if (SLOW.has(service) && !(await isNeeded(project, [`'${service.name}'`]))) {
      project.provide(key, null);
      continue;
    }
    const outcome = await bringUp(service, { maySkip: !inCi });
    project.provide(key, outcome.running ? outcome.url : null);
    console.log(
      outcome.running
        ? `services: ${service.name} from ${outcome.origin}`
        : `services: ${service.name} is skipped, because ${outcome.because}`,
    );
  }
  project.provide('embeddedStore', await embedded);
  return removeOwnWorkspaces;
}

const SERVICES = [
  { service: postgres, key: 'postgresUrl' },
  { service: chromium, key: 'chromiumUrl' },
  { service: postfix, key: 'postfixUrl' },
  { service: opensmtpd, key: 'opensmtpdUrl' },
  { service: python, key: 'pythonUrl' },
  { service: rabbitmq, key: 'rabbitmqUrl' },
  { service: redis, key: 'redisUrl' },
] as const;

/** Started only for test files that name them. */
const SLOW = new Set<Service>([rabbitmq]);

const EMBEDDED = ['createEmbeddedFolder', 'openEmbedded'];

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
    /** A RabbitMQ as JSON of SharedRabbit, for createTestVhost; null when there is none. */
    rabbitmqUrl: string | null;
    /** A migrated cluster of the embedded store, to be copied; null when no test file of this run asks for it. */
    embeddedStore: string | null;
    /** A Redis; null when there is none. */
    redisUrl: string | null;
  }
}
