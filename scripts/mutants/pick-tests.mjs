/**
 * Which tests can catch a fault: those that were seen calling the function it stands in. scripts/mutants/reach.json holds,
 * for each function of each file, the tests that called it when it was recorded: those named like the file first, then
 * the fastest. A fault outside every function (a statement in a constant) counts for the functions of its file that name
 * the constant, or else for all of the file.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isServiceTest } from '../affected-tests.mjs';

/** These look for rows of another tenant, so they come first where a tenant is left out. */
const OF_TENANTS = /^test\/abuse\/(?:tenant-twins|other-tenants|isolation)\.test\.ts$/;
/** Of each kind and function; one of them suffices most of the time. */
const KEPT = 8;

/** What record-reach.mjs wrote, made small: only for files that faults are planted in. */
export function condenseReach(folder, files) {
  const recorded = readdirSync(folder)
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    .sort((a, b) => (a.test < b.test ? -1 : 1));
  const used = new Set();
  const functions = {};
  for (const file of [...files].sort()) {
    const callers = recorded.filter(({ reached }) => reached[file]?.length > 0);
    callers.sort((a, b) => likeness(b.test, file) - likeness(a.test, file) || a.ms - b.ms);
    const names = [...new Set(callers.flatMap(({ reached }) => reached[file]))].sort();
    for (const name of names) {
      const of = callers.filter(({ reached }) => reached[file].includes(name)).map(({ test }) => test);
      const kept = [
        ...of.filter((test) => !isServiceTest(test)).slice(0, KEPT),
        ...of.filter(isServiceTest).slice(0, KEPT),
        ...of
          .filter(isServiceTest)
          .slice(KEPT)
          .filter((test) => OF_TENANTS.test(test)),
      ];
      for (const test of kept) used.add(test);
      functions[file] ??= {};
      functions[file][name] = kept;
    }
  }
  const tests = recorded.filter(({ test }) => used.has(test));
  const place = new Map(tests.map(({ test }, i) => [test, i]));
  for (const byName of Object.values(functions)) {
    for (const [name, kept] of Object.entries(byName)) byName[name] = kept.map((test) => place.get(test));
  }
  return { tests: tests.map(({ test, ms }) => [test, ms]), functions };
}

/** `budgetMs` bounds the service tests of one fault by what they took when they were recorded; one is always taken. */
export function pickTests({ root, mutant, text, reach, budgetMs }) {
  const byName = reach.functions[mutant.file] ?? {};
  const around = mutant.names.length > 0 ? mutant.names.slice(-1) : usersOf(mutant, text);
  const known = around.filter((name) => Object.hasOwn(byName, name));
  const callers = known.length > 0 ? known : mutant.names.filter((name) => Object.hasOwn(byName, name));
  const indexes = new Set(
    (callers.length > 0 ? callers : Object.keys(byName)).flatMap((name) => byName[name]),
  );
  const found = [...indexes].map((i) => reach.tests[i]).filter(([test]) => existsSync(join(root, test)));
  const beside = mutant.file.replace(/\.ts$/, '.test.ts');
  const unit = new Set(found.map(([test]) => test).filter((test) => !isServiceTest(test)));
  if (existsSync(join(root, beside))) unit.add(beside);
  const services = [];
  let spentMs = 0;
  const inOrder = found.filter(([test]) => isServiceTest(test));
  if (mutant.kind === 'sql tenant')
    inOrder.sort(([a], [b]) => Number(OF_TENANTS.test(b)) - Number(OF_TENANTS.test(a)));
  for (const [test, ms] of inOrder) {
    if (services.length > 0 && spentMs + ms > budgetMs) continue;
    services.push(test);
    spentMs += ms;
  }
  return { unit: [...unit], services };
}

/** Functions of the file whose text names the constant the fault stands in. */
function usersOf(mutant, text) {
  const [, constant] = [...text.slice(0, mutant.start).matchAll(/^(?:export )?const (\w+)/gm)].at(-1) ?? [];
  if (constant === undefined) return [];
  const users = [];
  for (const [body, name] of text.matchAll(/^(?:export )?(?:async )?function (\w+)[\s\S]*?^\}/gm)) {
    if (new RegExp(`\\b${constant}\\b`).test(body)) users.push(name);
  }
  return users;
}

/** How many words a test and a file have in common, by their first letters: `settle-attempts` and `settling`. */
function likeness(test, file) {
  const others = wordsOf(test);
  return [...wordsOf(file)].filter((word) => others.has(word)).length;
}

function wordsOf(path) {
  const words = path.replace(/\.test\.ts$|\.ts$/, '').match(/[a-z]{4,}/g) ?? [];
  return new Set(words.map((word) => word.slice(0, 5)));
}
