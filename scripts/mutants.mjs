/**
 * `npm run mutants`: plants one fault at a time in a copy of the sources and runs the tests that call the function it
 * stands in. A fault that no test notices is reported, and is an error unless scripts/mutants/accepted.json gives a reason.
 *
 *   npm run mutants                          every fault in the modules that hold promises; hours
 *   npm run mutants -- --sample 200 --seed 7 some of them, chosen by the seed
 *   npm run mutants -- --changed[=main]      those in files changed since a commit (HEAD)
 *   npm run mutants -- --minutes 3           ends after this time and says how many it did not try
 *   npm run mutants -- --kind 'sql tenant'   of one kind; of any module with paths: npm run mutants -- src/views
 *   npm run mutants -- --list                lists them and runs nothing
 *   npm run mutants -- --record              records anew which tests call which functions: the whole suite, once
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { changedFiles } from './affected-tests.mjs';
import { findMutants } from './mutants/find-mutants.mjs';
import { pickTests, readReach } from './mutants/pick-tests.mjs';
import { openTestRunner } from './mutants/test-runner.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const REACH = '.build/mutants/reach';
/** Claims, leases, settling, take-over, policy, access, routing, webhooks and the bus. */
const MODULES = /^src\/(?:outbox|policy|access|events|providers\/route-)/;
/** Service tests that one fault may cost, by the time they took when they were recorded. */
const BUDGET_MS = 60_000;

const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  args: process.argv.slice(2).map((arg) => (arg === '--changed' ? '--changed=HEAD' : arg)),
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    changed: { type: 'string' },
    minutes: { type: 'string' },
    kind: { type: 'string', multiple: true },
    list: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
});

const texts = new Map(sourceFiles().map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const accepted = readAccepted();
const chosen = choose(texts);
if (options.list) for (const mutant of chosen) console.log(describe(mutant));
else process.exit(await run());

function sourceFiles() {
  const files = execFileSync('git', ['ls-files', 'src'], { cwd: root, encoding: 'utf8' }).split('\n');
  return files.filter((file) => /\.ts$/.test(file) && !/\.(?:test|fixture)\.ts$/.test(file));
}

function choose(texts) {
  const changed = options.changed && new Set(changedFiles(root, options.changed));
  const inModules = (file) =>
    paths.length > 0 ? paths.some((path) => file.startsWith(path)) : MODULES.test(file);
  const files = [...texts.keys()].filter((file) => inModules(file) && (!changed || changed.has(file)));
  const all = files.flatMap((file) => findMutants(file, texts.get(file)));
  const kinds = options.kind && new Set(options.kind);
  const wanted = all.filter((mutant) => (!kinds || kinds.has(mutant.kind)) && !accepted.has(keyOf(mutant)));
  if (!options.sample && !options.minutes) return wanted;
  return shuffled(wanted, Number(options.seed)).slice(0, Number(options.sample ?? wanted.length));
}

async function run() {
  if (options.record || readReach(join(root, REACH)).length === 0) record();
  if (chosen.length === 0) {
    console.log('mutants: nothing to plant');
    return 0;
  }
  const startedAt = performance.now();
  const until = startedAt + Number(options.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  const reach = readReach(join(root, REACH));
  const copy = copySources();
  const runner = openTestRunner(copy);
  const survivors = [];
  let caught = 0;
  try {
    for (const mutant of chosen) {
      if (performance.now() > until) break;
      const text = texts.get(mutant.file);
      const tests = pickTests({ mutant, text, reach, budgetMs: BUDGET_MS });
      const verdict = await runner.judge({
        file: mutant.file,
        text,
        mutated: text.slice(0, mutant.start) + mutant.to + text.slice(mutant.end),
        tests,
      });
      if (verdict.caughtBy) caught++;
      else survivors.push(mutant);
      const tried = caught + survivors.length;
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      console.log(
        `${tried}/${chosen.length} ${seconds} s ${verdict.caughtBy ? 'caught' : 'SURVIVED'} ${describe(mutant)}\n    ${verdict.caughtBy ?? `ran ${verdict.ran.join(', ') || 'nothing'}`}`,
      );
    }
  } finally {
    await runner.close();
    rmSync(copy, { recursive: true, force: true });
  }
  return report(caught, survivors);
}

function report(caught, survivors) {
  const tried = caught + survivors.length;
  for (const mutant of survivors) console.log(`survived: ${describe(mutant)}`);
  const share = ((100 * caught) / Math.max(1, tried)).toFixed(1);
  console.log(
    `mutants: ${caught} of ${tried} caught (${share} %), ${survivors.length} survived, ${accepted.size} accepted with a reason, ${chosen.length - tried} not tried for lack of time`,
  );
  return survivors.length > 0 ? 1 : 0;
}

/** Which tests call which functions, from the tests themselves. */
function record() {
  console.log('mutants: records which tests call which functions (the unit and service tests, once)');
  rmSync(join(root, REACH), { recursive: true, force: true });
  const env = { ...process.env, TEST_REACH: REACH };
  for (const project of ['unit', 'services']) {
    // A test that fails here is not used to judge faults, so the run goes on.
    spawnSync('npx', ['vitest', 'run', '--project', project], { cwd: root, env, stdio: 'inherit' });
  }
}

/** What git knows and what it would take in, without what it ignores; packages are those of the checkout. */
function copySources() {
  const copy = mkdtempSync(join(tmpdir(), 'postrider-mutants-'));
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  for (const file of execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')) {
    if (file === '' || file.startsWith('node_modules')) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  process.once('SIGINT', () => process.exit(130));
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  return copy;
}

/** A fault of the list that no longer exists is an error: the list would grow old. */
function readAccepted() {
  const list = JSON.parse(readFileSync(join(root, 'scripts/mutants/accepted.json'), 'utf8'));
  const keys = new Map();
  for (const file of new Set(list.map((each) => each.file))) {
    const there = new Set(texts.has(file) ? findMutants(file, texts.get(file)).map(keyOf) : []);
    for (const entry of list.filter((each) => each.file === file)) {
      if (!there.has(keyOf(entry))) throw new Error(`accepted.json names no fault of today: ${keyOf(entry)}`);
      if (!entry.reason) throw new Error(`accepted.json gives no reason: ${keyOf(entry)}`);
      keys.set(keyOf(entry), entry.reason);
    }
  }
  return keys;
}

function keyOf({ file, before, after }) {
  return `${file}: ${before} → ${after}`;
}

function describe({ file, line, kind, before, after }) {
  return `${file}:${line} ${kind}\n    - ${before}\n    + ${after}`;
}

function shuffled(list, seed) {
  const copy = [...list];
  let state = seed >>> 0 || 1;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [copy[i], copy[j]] = [copy[j], copy[i]];
  }
  return copy;
}
