/**
 * `npm run mutants`: plants one fault at a time in a copy of the sources and runs the tests that call the function it
 * stands in: every kind of fault in the modules that hold promises, dropped tenants in all of src. A fault that no test notices is reported, and is an error unless scripts/mutants/accepted.json gives a reason.
 *
 *   npm run mutants                          all of them; hours
 *   npm run mutants -- --sample 200 --seed 7 some of them, chosen by the seed
 *   npm run mutants -- --changed[=main]      those in lines changed since a commit (HEAD)
 *   npm run mutants -- --minutes 3           ends after this time and says how many it did not try
 *   npm run mutants -- --kind 'sql tenant'   of one kind; with paths, of these files: npm run mutants -- src/outbox/sweep
 *   npm run mutants -- --list                lists them and runs nothing
 *   npm run mutants -- --record              records anew which tests call which functions: the whole suite, once
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { changedFiles } from './affected-tests.mjs';
import { findMutants } from './mutants/find-mutants.mjs';
import { condenseReach, pickTests } from './mutants/pick-tests.mjs';
import { keyOf, readAccepted } from './mutants/read-accepted.mjs';
import { openTestRunner } from './mutants/test-runner.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const REACH = 'scripts/mutants/reach.json';
/** Claims, leases, settling, take-over, policy, access, routing, webhooks and the bus. */
const MODULES = /^src\/(?:outbox|policy|access|events|providers\/route-)/;
/** Service tests that one fault may cost, by the time they took when they were recorded. */
const BUDGET_MS = 30_000;

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
const accepted = readAccepted(root);
const chosen = choose();
if (options.record) record();
else if (options.list) for (const mutant of chosen) console.log(describe(mutant));
else process.exit(await run());

function sourceFiles() {
  return git(['ls-files', '--cached', '--others', '--exclude-standard', 'src']).filter(
    (file) => /\.ts$/.test(file) && !/\.(?:test|fixture)\.ts$/.test(file) && existsSync(join(root, file)),
  );
}

/** In the modules every fault; elsewhere those that mix up tenants. */
function planted() {
  const all = [...texts].flatMap(([file, text]) => findMutants(file, text));
  return all.filter(({ file, kind }) => MODULES.test(file) || kind === 'sql tenant');
}

function choose() {
  const isChanged = options.changed ? changedLines(options.changed) : () => true;
  const kinds = options.kind && new Set(options.kind);
  const wanted = planted().filter(
    (mutant) =>
      (paths.length === 0 || paths.some((path) => mutant.file.startsWith(path))) &&
      isChanged(mutant) &&
      (!kinds || kinds.has(mutant.kind)) &&
      !accepted.has(keyOf(mutant)),
  );
  if (!options.sample && !options.minutes) return wanted;
  return shuffled(wanted, Number(options.seed)).slice(0, Number(options.sample ?? wanted.length));
}

/** Whether a fault stands in a line that is new or other since `base`, committed or not. */
function changedLines(base) {
  const files = changedFiles(root, base).filter((file) => texts.has(file));
  const args = ['diff', '--unified=0', '--no-color', '--no-ext-diff', base, '--', ...files];
  const lines = new Map(files.map((file) => [file, new Set()]));
  let file = '';
  for (const line of files.length === 0 ? [] : git(args)) {
    if (line.startsWith('+++ b/')) file = line.slice(6);
    const [, from, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    for (let i = 0; from && i < Number(count); i++) lines.get(file)?.add(Number(from) + i);
  }
  const known = new Set(git(['ls-tree', '-r', '--name-only', base]));
  return ({ file, line }) => lines.has(file) && (!known.has(file) || lines.get(file).has(line));
}

function git(args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 }).split('\n');
}

async function run() {
  if (chosen.length === 0) {
    console.log('mutants: nothing to plant');
    return 0;
  }
  const startedAt = performance.now();
  const until = startedAt + Number(options.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  const reach = JSON.parse(readFileSync(join(root, REACH), 'utf8'));
  const copy = copySources();
  const runner = openTestRunner(copy);
  const survivors = [];
  /** No test that reaches them runs here, for want of a server. */
  const unjudged = [];
  let caught = 0;
  try {
    for (const mutant of chosen) {
      if (performance.now() > until) break;
      const text = texts.get(mutant.file);
      const tests = pickTests({ root, mutant, text, reach, budgetMs: BUDGET_MS });
      const verdict = await runner.judge({
        file: mutant.file,
        text,
        mutated: text.slice(0, mutant.start) + mutant.to + text.slice(mutant.end),
        tests,
      });
      if (verdict.caughtBy) caught++;
      else if (verdict.ran.length > 0) survivors.push(mutant);
      else unjudged.push(mutant);
      const tried = caught + survivors.length + unjudged.length;
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
      console.log(
        `${tried}/${chosen.length} ${seconds} s ${wordOf(verdict)} ${describe(mutant)}\n    ${verdict.caughtBy ?? verdict.ran.join(', ')}`,
      );
    }
  } finally {
    await runner.close();
    rmSync(copy, { recursive: true, force: true });
  }
  return report(caught, survivors, unjudged);
}

function wordOf({ caughtBy, ran }) {
  if (caughtBy) return 'caught';
  return ran.length > 0 ? 'SURVIVED' : 'not judged';
}

function report(caught, survivors, unjudged) {
  const tried = caught + survivors.length;
  for (const mutant of survivors) console.log(`survived: ${describe(mutant)}`);
  const share = ((100 * caught) / Math.max(1, tried)).toFixed(1);
  console.log(
    `mutants: ${caught} of ${tried} caught (${share} %), ${survivors.length} survived, ${accepted.size} accepted with a reason, ${unjudged.length} that no test here judges, ${chosen.length - tried - unjudged.length} not tried for lack of time`,
  );
  return survivors.length > 0 || tried === 0 ? 1 : 0;
}

/** Which tests call which functions, from the tests themselves. One that fails is of no use here and stops nothing. */
function record() {
  const folder = '.build/mutants/reach';
  rmSync(join(root, folder), { recursive: true, force: true });
  const env = { ...process.env, TEST_REACH: folder };
  for (const project of ['unit', 'services']) {
    spawnSync('npx', ['vitest', 'run', '--project', project], { cwd: root, env, stdio: 'inherit' });
  }
  condense(folder);
}

function condense(folder) {
  const { tests, functions } = condenseReach(join(root, folder), new Set(planted().map(({ file }) => file)));
  const lines = (entries) => entries.map((entry) => `    ${entry}`).join(',\n');
  writeFileSync(
    join(root, REACH),
    `{\n  "tests": [\n${lines(tests.map((each) => JSON.stringify(each)))}\n  ],\n  "functions": {\n${lines(
      Object.entries(functions).map(([file, names]) => `${JSON.stringify(file)}: ${JSON.stringify(names)}`),
    )}\n  }\n}\n`,
  );
}

/** What git knows and what it would take in, without what it ignores; packages are those of the checkout. */
function copySources() {
  const copy = mkdtempSync(join(tmpdir(), 'postrider-mutants-'));
  chmodSync(copy, 0o755); // servers run as another user, and begin where they are started
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  for (const file of git(args)) {
    if (file === '' || file.startsWith('node_modules') || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  process.once('SIGINT', () => process.exit(130));
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  return copy;
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
