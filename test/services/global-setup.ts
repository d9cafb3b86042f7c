import type { BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { bringUp } from './bring-up.js';
import { startBrowser } from './browser.js';
import { buildDashboard } from './build-dashboard.js';
import { bundlePrograms } from './bundle-programs.js';
import { bundleSources } from './bundled-sources.js';
import { chromium } from './chromium.js';
import { compileSources } from './compile-sources.js';
import { makeEmbeddedStore } from './embedded-store.js';
import { isNeeded } from './is-needed.js';
import { opensmtpd } from './opensmtpd.js';
import { pgbouncer } from './pgbouncer.js';
import { postfix } from './postfix.js';
import { postgres } from './postgres.js';
import { makePostgresTemplate, type PostgresTemplate } from './postgres-template.js';
import { python } from './python.js';
import { rabbitmq } from './rabbitmq.js';
import { redis } from './redis.js';
import type { Service } from './service.js';
import { keepTemporaryFilesInMemory } from './temporary-in-memory.js';
import { removeOwnWorkspaces, removeOwnWorkspacesOnSignals, removeStaleWorkspaces } from './workspace.js';

/**
 * Runs once before the tests that need servers: brings each service up, prints one line about it, and hands
 * its URL to the tests. Everything goes again at the end, on an interrupt, and after a SIGKILL at the next start.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const inCi = process.env.CI === 'true';
  removeOwnWorkspacesOnSignals();
  let stale = removeStaleWorkspaces();
  keepTemporaryFilesInMemory();
  stale += removeStaleWorkspaces();
  if (stale > 0) console.log(`services: removed ${stale} left by a run that was killed`);
  await compileSources(project.config.root, { strict: inCi });
  await bundlePrograms(project.config.root);
  await bundleSources(project.config.root);
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
  const template = await templateOf(project);
  project.provide('postgresTemplate', template?.name ?? null);
  const browser = await browserOf(project);
  project.provide('browserUrl', browser?.wsEndpoint() ?? null);
  return async () => {
    await browser?.close();
    await template?.drop();
    removeOwnWorkspaces();
  };
}

async function templateOf(project: TestProject): Promise<PostgresTemplate | null> {
  const adminUrl = project.getProvidedContext().postgresUrl;
  return adminUrl ? makePostgresTemplate(project.config.root, adminUrl) : null;
}

async function browserOf(project: TestProject): Promise<BrowserServer | null> {
  const program = project.getProvidedContext().chromiumUrl;
  return program && (await isNeeded(project, BROWSER)) ? startBrowser(program) : null;
}

const SERVICES = [
  { service: postgres, key: 'postgresUrl' },
  { service: chromium, key: 'chromiumUrl' },
  { service: postfix, key: 'postfixUrl' },
  { service: opensmtpd, key: 'opensmtpdUrl' },
  { service: python, key: 'pythonUrl' },
  { service: pgbouncer, key: 'pgbouncerUrl' },
  { service: rabbitmq, key: 'rabbitmqUrl' },
  { service: redis, key: 'redisUrl' },
] as const;

/** Started only for test files that name them. */
const SLOW = new Set<Service>([rabbitmq]);

const EMBEDDED = ['createEmbeddedFolder', 'embeddedStores', 'openEmbedded'];
const BROWSER = ['openBrowser', 'openDashboard'];

declare module 'vitest' {
  interface ProvidedContext {
    /** A superuser or creator of databases on the shared server; null when there is none. */
    postgresUrl: string | null;
    /** A migrated database on it, which createTestDatabase copies; null when there is none. */
    postgresTemplate: string | null;
    /** The path of a Chromium; null when there is none. */
    chromiumUrl: string | null;
    /** Where the browser of this run answers; null when there is none or no test file asks for it. */
    browserUrl: string | null;
    /** The folder of Postfix's commands, smtp-sink among them; null when there is none. */
    postfixUrl: string | null;
    /** The folder OpenSMTPD was unpacked to; null when there is none. */
    opensmtpdUrl: string | null;
    /** The path of a Python 3; null when there is none. */
    pythonUrl: string | null;
    /** The path of a PgBouncer; null when there is none. */
    pgbouncerUrl: string | null;
    /** A RabbitMQ as JSON of SharedRabbit, for createTestVhost; null when there is none. */
    rabbitmqUrl: string | null;
    /** A migrated cluster of the embedded store, to be copied; null when no test file of this run asks for it. */
    embeddedStore: string | null;
    /** A Redis; null when there is none. */
    redisUrl: string | null;
  }
}
