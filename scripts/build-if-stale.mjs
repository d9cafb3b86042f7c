/**
 * `npm start` runs this first: builds when dist is missing or older than what it is made of, and otherwise leaves it.
 * Folders count too, so that a file that was removed is noticed. A build that fails is not taken for one.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = [`${root}dist/doors/cli/main.js`, `${root}dist/dashboard/index.html`];

function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

const folders = ['src', 'dashboard'];
const sources = [...folders, 'tsconfig.json', 'tsconfig.build.json', 'package.json', 'package-lock.json'];
const below = folders.flatMap((folder) =>
  readdirSync(root + folder, { recursive: true }).map((name) => `${folder}/${name}`),
);
const newest = Math.max(...[...sources, ...below].map((name) => changedAt(root + name)));

if (Math.min(...built.map(changedAt)) <= newest) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    for (const path of built) rmSync(path, { force: true });
    process.exit(status ?? 1);
  }
}
