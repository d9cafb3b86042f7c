import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/services/longest-first.js';

// Two projects: `unit` needs nothing but Node; `services` brings up real servers (test/services).
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'src/**/*.test.ts',
            'dashboard/**/*.test.ts',
            'test/architecture/**/*.test.ts',
            'bench/**/*.test.ts',
          ],
          // What takes two seconds takes twenty on a crowded machine.
          testTimeout: 60_000,
          // Left to itself vitest keeps one core free, which of two is half.
          maxWorkers: '100%',
        },
      },
      {
        test: {
          name: 'services',
          include: [
            'test/contract/**/*.test.ts',
            'test/journey/**/*.test.ts',
            'test/abuse/**/*.test.ts',
            'test/chaos/**/*.test.ts',
            'test/dashboard/**/*.test.ts',
          ],
          globalSetup: ['test/services/global-setup.ts'],
          // A crowded machine is no database that is away; tests that mean one say how long to wait for it.
          env: { POSTRIDER_DATABASE_PATIENCE_MS: '10000' },
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
