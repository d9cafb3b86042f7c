/**
 * Which tests can catch a fault: those that were seen calling the function it stands in, by the record of
 * record-reach.mjs. A fault outside every function (a statement in a constant) counts for the functions of its file that
 * name the constant, or else for all of the file. What is named like the file comes first, then the fastest.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isServiceTest } from '../affected-tests.mjs';

export function readReach(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

/** `budgetMs` bounds the service tests of one fault by what they took when they were recorded; one is always taken. */
export function pickTests({ mutant, text, reach, budgetMs }) {
  const functions = mutant.names.length > 0 ? mutant.names : usersOf(mutant, text);
  const calls = ({ reached }) => {
    const called = reached[mutant.file];
    return (
      called !== undefined && (functions.length === 0 || functions.some((name) => called.includes(name)))
    );
  };
  const isOfFile = ({ reached }) => reached[mutant.file] !== undefined;
  let found = reach.filter(calls);
  if (found.length === 0) found = reach.filter(isOfFile);
  found.sort((a, b) => likeness(b.test, mutant.file) - likeness(a.test, mutant.file) || a.ms - b.ms);
  const services = [];
  let ms = 0;
  for (const each of found.filter(({ test }) => isServiceTest(test))) {
    if (services.length > 0 && ms + each.ms > budgetMs) continue;
    services.push(each.test);
    ms += each.ms;
  }
  return { unit: found.filter(({ test }) => !isServiceTest(test)).map(({ test }) => test), services };
}

/** Functions of the file whose text names the constant the fault stands in. */
function usersOf(mutant, text) {
  const [, constant] = [...text.slice(0, mutant.start).matchAll(/^(?:export )?const (\w+)/gm)].at(-1) ?? [];
  if (constant === undefined) return [];
  const users = [];
  for (const [, body, name] of text.matchAll(/^((?:export )?(?:async )?function (\w+)[\s\S]*?^\})/gm)) {
    if (new RegExp(`\\b${constant}\\b`).test(body)) users.push(name);
  }
  return users;
}

/** How many words a test and a file have in common, by their first letters: `settle-attempts` and `settling`. */
function likeness(test, file) {
  const words = (path) =>
    new Set(
      (path.replace(/\.test\.ts$|\.ts$/, '').match(/[a-z]{4,}/g) ?? []).map((word) => word.slice(0, 5)),
    );
  const others = words(test);
  let common = 0;
  for (const word of words(file)) if (others.has(word)) common++;
  return common;
}
