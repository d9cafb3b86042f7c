/**
 * The oldest and newest of what Postrider runs on, from npm: the unit tests on each Node, and a sample of the tests that
 * need a database on each PostgreSQL. Says at the end what ran on what.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const NODES = ['20.19.0', '22.23.3', '24.21.0'];
const SAMPLE = [
  'test/contract/stores',
  'test/journey/accept-v1.test.ts',
  'test/journey/copied-emails.test.ts',
  'test/journey/claim-plan.test.ts',
  'test/journey/retention.test.ts',
  'test/journey/campaigns.test.ts',
  'test/journey/outcomes.test.ts',
  'test/chaos/process-faults',
];
const DATABASES = [
  { postgres: '14', node: '22.23.3' },
  { postgres: '18', node: '24.21.0' },
];

const told = [];
for (const version of NODES) {
  told.push(`Node ${version}: ${run(version, {}, '--project', 'unit')}`);
}
for (const { postgres, node } of DATABASES) {
  const env = { TEST_POSTGRES_VERSION: postgres };
  told.push(`PostgreSQL ${postgres} on Node ${node}: ${run(node, env, '--project', 'services', ...SAMPLE)}`);
}
console.log(told.join('\n'));

/** Runs vitest on another Node; returns its counts. */
function run(version, env, ...args) {
  const node = fetchNode(version);
  console.log(`== Node ${version} ${Object.entries(env).flat().join(' ')}`);
  const { status, stdout } = spawnSync(node, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args], {
    cwd: root,
    // Beside its npm, which a test may call.
    env: { ...process.env, ...env, PATH: dirname(node) + delimiter + process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 256 * 1024 ** 2,
  });
  const counts = stdout.split('\n').filter((line) => /^\s*(?:\S*\s*)?(?:Test Files|Tests) /.test(line));
  if (status !== 0) {
    console.log(stdout);
    process.exit(status ?? 1);
  }
  return counts.map((line) => line.trim().replace(/\s+/g, ' ')).join(', ');
}

/** The program of the npm package, fetched once into .build; its install script, of which it has none, is not run. */
function fetchNode(version) {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = join(root, `.build/node-${version}`);
  if (!existsSync(folder)) {
    const incoming = `${folder}.${process.pid}`;
    mkdirSync(incoming, { recursive: true });
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
    execFileSync('npm', ['install', '--prefix', incoming, ...quiet, `${name}@${version}`], {
      stdio: 'inherit',
    });
    renameSync(incoming, folder);
    rmSync(incoming, { recursive: true, force: true });
  }
  return join(folder, 'node_modules', name, 'bin/node');
}
