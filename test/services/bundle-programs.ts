import { bundle } from './bundle.js';

/** The programs that tests start by the hundred: the child that chaos tests kill, and the command line. */
export function bundlePrograms(root: string): Promise<void> {
  return bundle({
    root,
    folder: 'programs',
    entries: {
      child: 'test/chaos/ground/child.js',
      main: 'src/doors/cli/main.js',
      // Started by its name, which it must keep.
      'pglite-thread': 'src/store/pglite/pglite-thread.js',
    },
    inlined: ['zod'],
  });
}
