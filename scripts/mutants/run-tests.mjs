/**
 * Runs tests for scripts/mutants.mjs in a process of its own, which keeps the servers of one run to the next. Its working
 * folder is the copy that the faults are planted in. Asked `{ changed, tests, project }`, it answers `{ failed, broken }`.
 */
import { resolve } from 'node:path';
import { createVitest } from 'vitest/node';

const project = process.argv[2];
const vitest = await createVitest('test', {
  watch: false,
  bail: 1,
  project,
  reporters: [{}],
  // A fault may make a test wait for what never comes.
  testTimeout: 45_000,
  hookTimeout: 60_000,
});
process.send({ ready: true });

process.on('message', async ({ changed, tests }) => {
  try {
    for (const file of changed) vitest.invalidateFile(resolve(file));
    // Failures of earlier runs count for `bail` until they are forgotten.
    vitest.state.filesMap.clear();
    const specifications = await vitest.getRelevantTestSpecifications(tests);
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
    const failed = [];
    for (const module of testModules) {
      if (module.state() !== 'failed') continue;
      const [test] = [...module.children.allTests('failed')];
      failed.push(
        `${module.relativeModuleId}: ${test?.fullName ?? module.errors()[0]?.message ?? 'fails outside its tests'}`,
      );
    }
    if (failed.length === 0 && unhandledErrors.length > 0) failed.push(String(unhandledErrors[0]?.message));
    const ran = testModules.filter((module) => module.state() === 'passed').length;
    process.connected && process.send({ failed, ran });
  } catch (error) {
    process.connected && process.send({ error: String(error?.stack ?? error) });
  }
});
process.on('disconnect', () => vitest.close().finally(() => process.exit(0)));
