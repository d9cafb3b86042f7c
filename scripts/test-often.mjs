/**
 * Runs the whole suite many times, to find tests that are red by chance:
 *
 *   npm run test:often -- --runs 5              five times, alone
 *   npm run test:often -- --runs 5 --load 8     five times, beside eight processes that never rest
 *
 * Every run goes on after a red one; what each printed stays in .build/test-often. Exits 1 when one was red.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '5' }, load: { type: 'string', default: '0' } },
});
const [runs, load] = [values.runs, values.load].map(Number);
const folder = join(root, '.build/test-often');
mkdirSync(folder, { recursive: true });

// Each ends by itself when this process is gone.
const BUSY =
  'process.stdin.resume().on("end", () => process.exit()); setImmediate(function spin() { for (let n = 0; n < 1e7; n++); setImmediate(spin); });';
const loads = Array.from({ length: load }, () =>
  spawn(process.execPath, ['-e', BUSY], { stdio: ['pipe', 'ignore', 'inherit'] }),
);

let red = 0;
for (let run = 1; run <= runs; run++) {
  const name = `${load > 0 ? `load-${load}-` : ''}${run}.log`;
  const began = performance.now();
  const ended = await testOnce(join(folder, name));
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  console.log(
    `run ${run} of ${runs}, beside ${load}: ${ended === 0 ? 'green' : 'RED'}, ${minutes} min, ${name}`,
  );
  if (ended !== 0) {
    red += 1;
    for (const line of failuresIn(join(folder, name))) console.log(`  ${line}`);
  }
}
for (const process of loads) process.kill();
console.log(`${runs} runs, ${red} red`);
process.exit(red === 0 ? 0 : 1);

function testOnce(log) {
  const out = openSync(log, 'w');
  const child = spawn('npm', ['test'], {
    cwd: root,
    stdio: ['ignore', out, out],
    env: { ...process.env, NO_COLOR: '1' },
  });
  closeSync(out);
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

function failuresIn(log) {
  const lines = readFileSync(log, 'utf8').split('\n');
  return [...new Set(lines.filter((line) => / FAIL |Error: /.test(line)))].slice(0, 20);
}
