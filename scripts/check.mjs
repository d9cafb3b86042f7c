/** `npm run check`: the unit tests, and beside them format, lint and types. */
import { fileURLToPath } from 'node:url';
import { runAtOnce } from './run-at-once.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.exit(
  await runAtOnce(root, [
    ['npx', 'vitest', 'run', '--project', 'unit'],
    ['npm', 'run', '--silent', 'lint'],
    ['npm', 'run', '--silent', 'types'],
  ]),
);
