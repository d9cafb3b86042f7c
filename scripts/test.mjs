/**
 * `npm test`: format, lint, types, unit tests, a build, and the tests that need servers.
 *
 *   npm test                        everything
 *   npm test -- --changed[=main]    what the change since a commit (HEAD) can break
 *   npm test -- test/journey/x …    these tests alone; also any option of vitest
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { affectedTests, changedFiles, isServiceTest } from './affected-tests.mjs';
import { runAtOnce } from './run-at-once.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);
const changed = args.find((arg) => /^--changed(?:=|$)/.test(arg));

if (changed !== undefined) testChanged(changed.split('=')[1] ?? 'HEAD');
else if (args.length > 0) run('npx', 'vitest', 'run', ...args);
else {
  const code = await runAtOnce(root, [
    ['npm', 'run', '--silent', 'check'],
    ['npm', 'run', '--silent', 'build'],
  ]);
  if (code !== 0) process.exit(code);
  run('npx', 'vitest', 'run', '--project', 'services');
}

function testChanged(base) {
  const files = changedFiles(root, base);
  const tests = affectedTests(root, files).filter((file) => !file.startsWith('test/long/'));
  console.log(`${files.length} files changed since ${base}; they can break ${tests.length} test files`);
  run('npm', 'run', '--silent', 'lint');
  run('npm', 'run', '--silent', 'types');
  const services = tests.filter(isServiceTest);
  const unit = tests.filter((file) => !isServiceTest(file));
  if (unit.length > 0) run('npx', 'vitest', 'run', '--project', 'unit', ...unit);
  if (services.length > 0) {
    run('npm', 'run', '--silent', 'build');
    run('npx', 'vitest', 'run', '--project', 'services', ...services);
  }
}

function run(command, ...rest) {
  const { status, signal } = spawnSync(command, rest, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? (signal ? 1 : 0));
}
