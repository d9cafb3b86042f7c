import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmptyDatabase, describeWith, queryOnce } from '../services/index.js';

/** What `npm pack` makes of a clone that was never built, in an application that has nothing else. */
const run = promisify(execFile);
const OUTPUT = { maxBuffer: 64 * 1024 ** 2 };
let folder: string;
let application: string;
let packed: Packed;

interface Packed {
  filename: string;
  files: Array<{ path: string }>;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-package-'));
  const clone = join(folder, 'clone');
  await copySources(clone);
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    ...{ cwd: clone, env: outsideNpm() },
    ...OUTPUT,
  });
  [packed] = JSON.parse(stdout) as [Packed];
  application = join(folder, 'application');
  await mkdir(application);
  await writeFile(join(application, 'package.json'), '{ "name": "application", "private": true }');
  const tarball = join(folder, packed.filename);
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], {
    ...{ cwd: application, env: outsideNpm() },
    ...OUTPUT,
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What git would give a clone, with what is not committed yet; dependencies as `npm ci` installs them. */
async function copySources(clone: string): Promise<void> {
  const { stdout } = await run(
    'git',
    ['ls-files', '-co', '--exclude-standard', '--deduplicate', '-z'],
    OUTPUT,
  );
  const { stdout: deleted } = await run('git', ['ls-files', '-d', '-z'], OUTPUT);
  const gone = new Set(deleted.split('\0'));
  for (const path of stdout.split('\0')) {
    if (path === '' || gone.has(path)) continue;
    await mkdir(dirname(join(clone, path)), { recursive: true });
    await cp(path, join(clone, path));
  }
  await symlink(resolve('node_modules'), join(clone, 'node_modules'));
}

/** What `npm test` says of itself is not for another npm, which keeps its registry; and no application runs as a test. */
function outsideNpm(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:npm_(?!config_)|npm_config_local_prefix$|VITEST|POSTRIDER_|NODE_ENV$|TEST$|INIT_CWD$)/.test(name),
  );
  return Object.fromEntries(inherited);
}

test('npm pack without a build before → the code, its types and the dashboard are in it, and no test', () => {
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      ...['index', 'worker', 'server', 'testing'].flatMap((name) => [`dist/${name}.js`, `dist/${name}.d.ts`]),
      ...['dist/doors/cli/main.js', 'dist/dashboard/index.html', 'migrations/0001_foundation.sql'],
    ]),
  );
  expect(paths.filter((path) => /\.(?:test|fixture)\.|^(?:src|test)\//.test(path))).toEqual([]);
});

test.each([
  ['imported', '.mjs', "const it = await import('postrider');"],
  ['required by CommonJS', '.cjs', "const it = require('postrider');"],
])('installed into an empty application → %s, with every entry point', async (_how, extension, load) => {
  const entries = ['worker', 'server', 'testing'].map((name) =>
    load.replace('const it', `const ${name}`).replace("'postrider'", `'postrider/${name}'`),
  );
  const program = `${load}\n${entries.join('\n')}
console.log([it.createPostrider, worker.runWorker, server.createApi, testing.createTestPostrider].map((one) => typeof one).join());`;
  const file = join(application, `load${extension}`);
  await writeFile(file, program);
  const { stdout } = await run(process.execPath, [file], { cwd: application, env: outsideNpm() });
  expect(stdout.trim()).toBe('function,function,function,function');
});

test('installed → the command line is there and says its version', async () => {
  const { stdout } = await run('npx', ['--no-install', 'postrider', '--version'], {
    ...{ cwd: application, env: outsideNpm() },
  });
  expect(stdout).toContain('0.1.0');
});

describeWith('postgres')('on PostgreSQL', () => {
  test("the README's program → the user is there and the email is sent", async ({ onTestFinished }) => {
    const [, program] = /## In your application[\s\S]*?```ts\n([\s\S]*?)```/.exec(
      await readFile('README.md', 'utf8'),
    )!;
    await writeFile(join(application, 'readme.mjs'), program!);
    const database = await createEmptyDatabase();
    await queryOnce(database.url, 'create table users (email text)');
    const child = spawn(process.execPath, ['readme.mjs'], {
      cwd: application,
      env: { ...outsideNpm(), DATABASE_URL: database.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
    onTestFinished(async () => {
      if (child.exitCode === null) {
        const ended = new Promise((done) => child.once('exit', done));
        child.kill('SIGKILL');
        await ended;
      }
      await database.drop();
    });
    await expect
      .poll(
        () =>
          queryOnce(
            database.url,
            'select u.email, l.status from users u join postrider.email_logs l on l."to" = u.email',
          ).catch((error: Error) => `${error.message} ${said}`),
        { timeout: 60_000 },
      )
      .toEqual([{ email: 'ada@example.com', status: 'sent' }]);
  });
});
