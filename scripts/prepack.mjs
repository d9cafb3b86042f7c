/**
 * `npm pack` and `npm publish` run this first, so that a package always holds what its sources say: built anew, without
 * what an older build left behind. It writes to stderr alone, because `npm pack --json` answers on stdout.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(join(root, 'dist'), { recursive: true, force: true });
const { status, error } = spawnSync('npm', ['run', '--silent', 'build'], {
  cwd: root,
  stdio: ['ignore', 2, 2],
});
if (error) throw error;
process.exit(status ?? 1);
