import { defineConfig } from 'vitest/config';

// Two projects: `unit` needs nothing but Node; `services` brings up real servers (test/services).
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/architecture/**/*.test.ts', 'bench/**/*.test.ts'],
          testTimeout: 20_000,
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
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
    ],
  },
});
