import type { ConfigProblem } from './config-problem.js';
import { didYouMean } from './did-you-mean.js';
import type { Environment } from './environment.js';
import { CONFIG_VARIABLE } from './read-config-file.js';
import { entriesOf, isSetting, type Settings } from './setting.js';

/**
 * Names nobody declared, each with the one that was probably meant. Of the environment only
 * `POSTRIDER_…` is ours to judge; what Kubernetes sets for a service called postrider is not a mistake.
 */
export function findUnknownVariables(settings: Settings, environment: Environment): ConfigProblem[] {
  const known = new Set([...variableNames(settings), CONFIG_VARIABLE]);
  return Object.keys(environment)
    .filter((name) => name.startsWith('POSTRIDER_') && !known.has(name) && !SET_BY_OTHERS.test(name))
    .map((name) => ({ key: name, source: 'environment', message: unknown(didYouMean(name, known)) }));
}

/** Checks the keys of an options object or file; `tree` has been shown to be an object. */
export function findUnknownKeys(settings: Settings, tree: object, source: string): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const report = (key: string) => problems.push({ key, source, message: unknown(suggestKey(settings, key)) });
  for (const [group, members] of Object.entries(tree)) {
    const declared = Object.hasOwn(settings, group) ? settings[group] : undefined;
    if (members === undefined || (declared && isSetting(declared))) continue;
    if (!declared) report(group);
    else if (typeof members !== 'object' || members === null || Array.isArray(members))
      problems.push({
        key: group,
        source,
        message: `must be an object with ${Object.keys(declared).join(', ')}`,
      });
    else for (const key of Object.keys(members)) if (!Object.hasOwn(declared, key)) report(`${group}.${key}`);
  }
  return problems;
}

const SET_BY_OTHERS =
  /^POSTRIDER_(TEST_.*|SERVICE_(HOST|PORT(_.*)?)|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

function unknown(suggestion: string | null): string {
  return `is not a setting; ${suggestion === null ? 'docs/CONFIGURATION.md lists them all' : `did you mean ${suggestion}`}`;
}

function suggestKey(settings: Settings, written: string): string | null {
  const keys = new Map<string, string>();
  for (const [key, setting] of entriesOf(settings)) {
    keys.set(key, key);
    for (const variable of setting.env) keys.set(variable.name, key);
  }
  const groups = Object.keys(settings);
  const found = didYouMean(written, [...groups, ...keys.keys()]);
  return found === null ? null : (keys.get(found) ?? found);
}

function* variableNames(settings: Settings): Iterable<string> {
  for (const [, setting] of entriesOf(settings)) for (const variable of setting.env) yield variable.name;
}
