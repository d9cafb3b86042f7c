/**
 * Runs the named benches, or all, and prints one table; `--json FILE` writes it down too. One bench that
 * fails does not hide the others; then the exit code is 1.
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { removeOwnWorkspacesOnSignals } from '../test/services/workspace.js';
import { type Bench, type BenchContext, Skipped } from './bench.js';
import { BENCHES } from './benches/index.js';
import { type BenchDatabase, type BenchServer, startBenchServer } from './ground/bench-server.js';
import { machineCpuSeconds, ownCpuSeconds } from './ground/process-usage.js';
import { type BenchResult, resultLines } from './print-table.js';

const { values, positionals } = parseArgs({
  options: { json: { type: 'string' } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !BENCHES.some((bench) => bench.name === name));
if (unknown.length > 0) {
  console.error(`no bench named ${unknown.join(', ')}; there are ${BENCHES.map((b) => b.name).join(', ')}`);
  process.exit(2);
}

removeOwnWorkspacesOnSignals();
const startedAt = new Date();
const load = loadavg()[0] ?? 0;
console.log('bench: starting PostgreSQL');
const server = await startBenchServer();
const machine = {
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 1024 ** 3),
  kernel: release(),
  node: process.version,
  loadBefore: load,
};
console.log(`bench: ${server.origin}`);
console.log(
  `bench: ${Object.entries(server.settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')}`,
);

const results: BenchResult[] = [];
const wanted = BENCHES.filter((bench) => positionals.length === 0 || positionals.includes(bench.name));
for (const bench of wanted) results.push(await runBench(bench, server));
await server.remove();

console.log(`\n${resultLines(results).join('\n')}`);
if (values.json) {
  const report = { startedAt, machine, postgres: server.settings, results };
  writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  console.log(`\nwritten to ${values.json}`);
}
process.exit(results.some((result) => result.failed) ? 1 : 0);

async function runBench(bench: Bench, server: BenchServer): Promise<BenchResult> {
  const opened: BenchDatabase[] = [];
  const started = performance.now();
  const context: BenchContext = {
    async openDatabase() {
      const database = await server.open();
      opened.push(database);
      return database;
    },
    progress: (text) => showProgress(`${bench.name}: ${text}`),
  };
  const result = { name: bench.name, says: bench.says, figures: [] as BenchResult['figures'] };
  const seconds = () => Math.round((performance.now() - started) / 100) / 10;
  const othersBefore = await othersCpuSeconds(server);
  console.log(`${bench.name}: ${bench.says}`);
  try {
    const figures = await bench.run(context);
    const othersAfter = await othersCpuSeconds(server);
    const othersCores =
      othersBefore === null || othersAfter === null ? null : (othersAfter - othersBefore) / seconds();
    return { ...result, figures, seconds: seconds(), othersCores };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof Skipped) return { ...result, skipped: message, seconds: seconds() };
    console.error(error);
    return { ...result, failed: message, seconds: seconds() };
  } finally {
    for (const database of opened) await database.drop();
    showProgress('');
    console.log(`${bench.name}: done in ${seconds()} s`);
  }
}

/** What everyone else on this machine has used: figures taken beside them are worth less. */
async function othersCpuSeconds(server: BenchServer): Promise<number | null> {
  const [machine, own, postgres] = [machineCpuSeconds(), ownCpuSeconds(), await server.cpuSeconds()];
  return machine === null || own === null || postgres === null ? null : machine - own - postgres;
}

function showProgress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${text}`);
  else if (text) console.log(`  ${text}`);
}
