import type { Setting } from './setting.js';

/**
 * Says for each setting of a config its value, where it came from and what it would be otherwise.
 * Secrets come out masked, so an explanation may be printed or sent along with a question.
 */
export function explain(config: object): Explanation[] {
  const origins = remembered.get(config);
  if (!origins) throw new TypeError('explain takes a config made by resolveSettings');
  return origins.map(({ key, setting, value, fallback, source, ignored }) => ({
    key,
    variables: setting.env.map((variable) => variable.name),
    value: setting.show(value),
    default: setting.show(fallback),
    source,
    differs: !same(value, fallback),
    ignored,
    says: setting.says,
  }));
}

export interface Explanation {
  key: string;
  variables: string[];
  value: string;
  default: string;
  /** `options`, the variable's name, the file's path, or `default`. */
  source: string;
  differs: boolean;
  /** Other places that say something about it and lost. */
  ignored: string[];
  says: string;
}

export interface Origin {
  key: string;
  setting: Setting<unknown>;
  value: unknown;
  fallback: unknown;
  source: string;
  ignored: string[];
}

/** The same config with what the process itself decided, and `source` as where that came from. */
export function withChanges<C extends object>(config: C, changes: Changes<C>, source: string): C {
  const origins = remembered.get(config);
  if (!origins) throw new TypeError('withChanges takes a config made by resolveSettings');
  const changed = { ...config } as Record<string, unknown>;
  const values = new Map<string, unknown>();
  for (const [group, members] of Object.entries(changes as Record<string, object>)) {
    changed[group] = Object.freeze({ ...(changed[group] as object), ...members });
    for (const [name, value] of Object.entries(members)) values.set(`${group}.${name}`, value);
  }
  return rememberOrigins(
    Object.freeze(changed) as C,
    origins.map((origin) =>
      values.has(origin.key) ? { ...origin, value: values.get(origin.key), source } : origin,
    ),
  );
}

/** A config that was made of another for a part of the process, explained as the whole. */
export function explainedAs<C extends object>(part: C, whole: object): C {
  return rememberOrigins(part, remembered.get(whole) ?? []);
}

type Changes<C> = { [G in keyof C]?: Partial<C[G]> };

// Kept beside the config, not in it, so that a config stays plain values.
const remembered = new WeakMap<object, readonly Origin[]>();

export function rememberOrigins<C extends object>(config: C, origins: readonly Origin[]): C {
  remembered.set(config, origins);
  return config;
}

function same(a: unknown, b: unknown): boolean {
  return a === b || (Array.isArray(a) && Array.isArray(b) && a.join() === b.join());
}
