/**
 * `npm run bench -- [name …] [--json FILE]`: compiles the sources into .build and runs the benches from there.
 * A type error is told and does not stop it: the compiler still writes everything.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, '.build');
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');

mkdirSync(out, { recursive: true });
// Incremental, with the record the tests use: files that did not change are not rewritten under their feet.
const incremental = ['--incremental', '--tsBuildInfoFile', join(out, 'tsbuildinfo.json')];
const compiled = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.run.json', ...incremental], {
  cwd: root,
  encoding: 'utf8',
});
if (compiled.status !== 0) console.error(`bench: the sources compile with errors:\n${compiled.stdout}`);

const bench = spawn(process.execPath, [join(out, 'bench', 'main.js'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => bench.kill(signal));
bench.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
