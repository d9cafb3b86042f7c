import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BUNDLED, sourcesFromBundle } from './test/services/bundled-sources.js';
import { LongestFirst } from './test/services/longest-first.js';

/** `npm run mutants` asks which functions a test file calls. */
const recording = process.env.TEST_REACH ? { setupFiles: ['scripts/mutants/record-reach.mjs'] } : {};

/** Tests that need real servers, which test/services brings up. */
const withServers = {
  ...recording,
  globalSetup: ['test/services/global-setup.ts'],
  server: { deps: { external: [BUNDLED] } },
  // A crowded machine is no database that is away; tests that mean one say how long to wait for it.
  env: { POSTRIDER_DATABASE_PATIENCE_MS: '10000' },
  testTimeout: Number(process.env.TEST_TIMEOUT_MS ?? 600_000),
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000 } },
};

const plugins = [sourcesFromBundle(import.meta.dirname)];

// `unit` needs nothing but Node; `services` needs servers and is complete for a change; `long` takes its time.
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          ...recording,
          include: [
            'src/**/*.test.ts',
            'dashboard/**/*.test.ts',
            'test/architecture/**/*.test.ts',
            'bench/**/*.test.ts',
          ],
          // No test keeps state in a module, so the files of a worker share what they import: half of the work.
          isolate: false,
          // What takes two seconds takes twenty on a crowded machine.
          testTimeout: 60_000,
          // Left to itself vitest keeps one core free, which of two is half. Some files wait for real seconds.
          maxWorkers: availableParallelism() + 1,
        },
      },
      {
        plugins,
        test: {
          name: 'services',
          include: [
            'test/contract/**/*.test.ts',
            'test/journey/**/*.test.ts',
            'test/abuse/**/*.test.ts',
            'test/chaos/**/*.test.ts',
            'test/dashboard/**/*.test.ts',
          ],
          ...withServers,
          // Much of the time is spent waiting for leases, retries and other processes.
          maxWorkers: 4,
        },
      },
      // No vitest test file by name: only `npm run test:abuse` runs it.
      {
        plugins,
        test: {
          name: 'abuse',
          include: ['test/abuse/harness/every-attack.run.ts'],
          ...withServers,
          testTimeout: 24 * 3_600_000,
        },
      },
      { plugins, test: { name: 'long', include: ['test/long/**/*.test.ts'], ...withServers, maxWorkers: 2 } },
    ],
  },
});
