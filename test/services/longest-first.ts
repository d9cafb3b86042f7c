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
 * Half a minute and more each. The two loops over kill points start many processes at once, so they are kept apart.
 */
export const LONGEST = [
  'test/chaos/engine-kill-points.test.ts',
  'test/dashboard/every-page.test.ts',
  'test/contract/rabbitmq-service.test.ts',
  'test/dashboard/emails.test.ts',
  'test/chaos/kill-points.test.ts',
  'test/chaos/bus-kills.test.ts',
  'test/chaos/rabbit-faults.test.ts',
  'test/journey/rabbitmq.test.ts',
  'test/contract/event-bus-lifecycle.test.ts',
  'test/contract/rabbit-engine.test.ts',
  'test/contract/engines.test.ts',
  'test/contract/rabbit-broker.test.ts',
];
