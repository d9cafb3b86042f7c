import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Begins with the files that take longest, so that none of them is left alone at the end. On a clean machine vitest
 * knows only the size of a file, and the longest are short ones that start hundreds of processes.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = (file: TestSpecification) => {
      const at = LONGEST.indexOf(relative(this.ctx.config.root, file.moduleId));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

/**
 * Ten seconds and more each; among the unit tests, what waits for some. Those that start many processes stand between
 * those that wait: side by side they leave no core to a worker that must say it is alive.
 */
export const LONGEST = [
  'test/chaos/engine-kill-points.test.ts',
  'test/dashboard/emails.test.ts',
  'test/contract/event-bus.test.ts',
  'test/journey/outcomes.test.ts',
  'test/chaos/poolers.test.ts',
  'test/journey/package.test.ts',
  'test/contract/stores.test.ts',
  'test/contract/rabbit-engine.test.ts',
  'test/chaos/kill-points.test.ts',
  'test/journey/bullmq-strangers.test.ts',
  'test/contract/rabbit-outages.test.ts',
  'test/chaos/server-epoch.test.ts',
  'test/journey/alerts.test.ts',
  'test/chaos/event-bus-faults.test.ts',
  'test/dashboard/system-pages.test.ts',
  'test/chaos/poison-email.test.ts',
  'test/contract/engines.test.ts',
  'test/dashboard/overview.test.ts',
  'test/chaos/bus-kills.test.ts',
  'test/contract/rabbit-broker.test.ts',
  'test/journey/examples.test.ts',
  'test/chaos/rabbit-faults.test.ts',
  'test/journey/openapi.test.ts',
  'test/chaos/keyed-sends.test.ts',
  'test/dashboard/inbox.test.ts',
  'test/journey/caller-transactions.test.ts',
  'test/chaos/bullmq-faults.test.ts',
  'test/journey/access-cli.test.ts',
  'test/journey/rate-limits.test.ts',
  'test/journey/bullmq.test.ts',
  'test/chaos/process-faults-stop.test.ts',
  'test/dashboard/content.test.ts',
  'test/journey/bus.test.ts',
  'test/chaos/database-faults.test.ts',
  'test/journey/suppressions.test.ts',
  'test/journey/rabbitmq.test.ts',
  'test/journey/routes.test.ts',
  'test/contract/event-bus-retry.test.ts',
  'test/journey/sign-in.test.ts',
  'test/chaos/campaign-kills.test.ts',
  'test/chaos/crash-suspects.test.ts',
  'test/contract/stores-application.test.ts',
  'test/journey/templates-page.test.ts',
  'test/journey/lost-bells.test.ts',
  'test/journey/accept-v1-rules.test.ts',
  'test/contract/accepted-reads-back.test.ts',
  'test/contract/rabbitmq-service.test.ts',
  'test/chaos/process-faults-zombie.test.ts',
  'test/contract/lifecycles.test.ts',
  'src/pipeline/worker.test.ts',
  'src/doors/smtp/slow-and-large.test.ts',
  'src/providers/smtp/moody-server.test.ts',
  'src/events/bus/bus-publisher.test.ts',
  'src/testing.test.ts',
  'src/render/overrides/override-cache.test.ts',
];
