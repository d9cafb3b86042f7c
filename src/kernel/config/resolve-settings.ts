import type { ConfigProblem } from './config-problem.js';
import type { Environment } from './environment.js';
import { type Origin, rememberOrigins } from './explain.js';
import { findUnknownKeys, findUnknownVariables } from './find-unknown-names.js';
import type { ConfigFile } from './read-config-file.js';
import {
  Derived,
  entriesOf,
  type Setting,
  type SettingRule,
  type Settings,
  type ValuesOf,
} from './setting.js';

/**
 * Finds each setting's value: options in code, then the environment, then the file, then the default.
 * Promises a complete frozen config or every problem at once; never a config with a problem in it.
 */
export function resolveSettings<S extends Settings>(settings: S, sources: SettingSources): Resolution<S> {
  const environment = sources.environment;
  const options = objectOf(sources.overrides, 'options');
  const file = objectOf(sources.file?.content, sources.file?.path ?? 'file');
  const problems: ConfigProblem[] = [
    ...options.problems,
    ...file.problems,
    ...findUnknownKeys(settings, options.tree, 'options'),
    ...findUnknownKeys(settings, file.tree, file.name),
    ...findUnknownVariables(settings, environment),
  ];
  const found = new Map<string, Found>();
  const bad = new Set<string>();
  for (const [key, setting] of entriesOf(settings)) {
    const said = whereSaid(key, setting, { options, environment, file });
    const first = said[0];
    if (!first) continue;
    const parsed = setting.parse(first.raw);
    if (parsed.ok)
      found.set(key, { value: parsed.value, source: first.source, ignored: names(said.slice(1)) });
    else {
      bad.add(key);
      problems.push({ key, source: first.source, message: `${quoted(first.raw, setting)}${parsed.reason}` });
    }
  }
  const get = lookup(settings, found);
  for (const rule of sources.rules ?? []) {
    if (rule.reads.some((key) => bad.has(key))) continue;
    const reason = rule.broken(get, { development: sources.development ?? false });
    if (reason !== null)
      problems.push({ key: rule.key, source: found.get(rule.key)?.source ?? 'default', message: reason });
  }
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, config: build(settings, get, found) };
}

export interface SettingSources {
  overrides?: unknown;
  environment: Environment;
  file: ConfigFile | null;
  rules?: readonly SettingRule[];
  development?: boolean;
}

export type Resolution<S> = { ok: true; config: ValuesOf<S> } | { ok: false; problems: ConfigProblem[] };

interface Found {
  value: unknown;
  source: string;
  ignored: string[];
}

interface Said {
  raw: unknown;
  source: string;
}

interface Tree {
  name: string;
  tree: object;
  problems: ConfigProblem[];
}

function objectOf(value: unknown, name: string): Tree {
  if (value === undefined) return { name, tree: {}, problems: [] };
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return { name, tree: value, problems: [] };
  return { name, tree: {}, problems: [{ key: name, source: name, message: 'must hold one JSON object' }] };
}

function whereSaid(
  key: string,
  setting: Setting<unknown>,
  from: { options: Tree; environment: Environment; file: Tree },
): Said[] {
  const said: Said[] = [];
  const option = memberOf(from.options.tree, key);
  if (option !== undefined) said.push({ raw: option, source: 'options' });
  for (const { name, plainUnit } of setting.env) {
    const text = from.environment[name];
    // An empty variable is how compose files and shells write "not set".
    if (text === undefined || text === '') continue;
    said.push({ raw: plainUnit && /^\s*\d+\s*$/.test(text) ? `${text}${plainUnit}` : text, source: name });
  }
  const inFile = memberOf(from.file.tree, key);
  if (inFile !== undefined) said.push({ raw: inFile, source: from.file.name });
  return said;
}

function memberOf(tree: object, key: string): unknown {
  let at: unknown = tree;
  for (const part of key.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<string, unknown>)[part];
  }
  return at;
}

function names(said: readonly Said[]): string[] {
  return said.map((one) => one.source);
}

function quoted(raw: unknown, setting: Setting<unknown>): string {
  if (setting.secret) return '';
  const shown = typeof raw === 'string' ? JSON.stringify(raw.slice(0, 60)) : plain(raw);
  return `is ${shown} but `;
}

function plain(raw: unknown): string {
  return typeof raw === 'object' && raw !== null ? 'an object' : String(raw);
}

function lookup(settings: Settings, found: ReadonlyMap<string, Found>): (key: string) => unknown {
  const declared = new Map(entriesOf(settings));
  const get = (key: string): unknown => {
    const said = found.get(key);
    if (said) return said.value;
    const setting = declared.get(key);
    if (!setting) throw new Error(`no setting is called ${key}`);
    return setting.default instanceof Derived ? setting.default.derive(get) : setting.default;
  };
  return get;
}

function build<S extends Settings>(
  settings: S,
  get: (key: string) => unknown,
  found: ReadonlyMap<string, Found>,
): ValuesOf<S> {
  const origins: Origin[] = [];
  const config: Record<string, unknown> = {};
  for (const [key, setting] of entriesOf(settings)) {
    const [group, name] = key.split('.') as [string, string | undefined];
    const value = get(key);
    config[group] = name === undefined ? value : { ...(config[group] as object), [name]: value };
    const said = found.get(key);
    const fallback = setting.default instanceof Derived ? setting.default.derive(get) : setting.default;
    origins.push({
      key,
      setting,
      value,
      fallback,
      source: said?.source ?? 'default',
      ignored: said?.ignored ?? [],
    });
  }
  for (const group of Object.values(config)) Object.freeze(group);
  return rememberOrigins(Object.freeze(config) as ValuesOf<S>, origins);
}
