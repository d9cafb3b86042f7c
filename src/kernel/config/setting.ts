/**
 * One setting as its room declares it: where it may come from, what it may be, what it is without
 * anybody saying so, and one sentence. Declarations carry the types, so `Config` is inferred from them.
 */
export interface Setting<T> {
  /** What a value looks like, for the docs and for refusals: `a whole number from 1 to 65535`. */
  readonly form: string;
  /** Variables it is read from; the first one set wins. */
  readonly env: readonly EnvName[];
  readonly default: T | Derived<T>;
  /** One sentence: what it decides. */
  readonly says: string;
  /** A secret is never printed, not even inside a refusal. */
  readonly secret: boolean;
  parse(raw: unknown): Parsed<T>;
  show(value: T): string;
}

export interface EnvName {
  readonly name: string;
  /** The unit of a plain number in this variable: `30` in …_SECONDS is `30s`. */
  readonly plainUnit?: string;
}

/** A value, or what is wrong with it as the end of a sentence that starts with the key. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; reason: string };

export type Lookup = (key: string) => unknown;

/** A default that follows from other settings or from the machine. */
export class Derived<T> {
  constructor(
    readonly derive: (get: Lookup) => T,
    /** How it is found, for the docs. */
    readonly says: string,
  ) {}
}

/**
 * What a room exports: groups of settings, and settings that stand alone. `smtp.host` is the setting
 * `host` of the group `smtp`; `routes` stands alone.
 */
export type Settings = Readonly<Record<string, Setting<unknown> | SettingGroup>>;

export type SettingGroup = Readonly<Record<string, Setting<unknown>>>;

export function isSetting(declared: Setting<unknown> | SettingGroup): declared is Setting<unknown> {
  return typeof declared.parse === 'function';
}

/** Every setting with its dotted key, in the order the rooms declare them. */
export function* entriesOf(settings: Settings): Iterable<[string, Setting<unknown>]> {
  for (const [key, declared] of Object.entries(settings)) {
    if (isSetting(declared)) yield [key, declared];
    else for (const [name, setting] of Object.entries(declared)) yield [`${key}.${name}`, setting];
  }
}

/** A condition between settings, checked when each of those it reads is fine by itself. */
export interface SettingRule {
  /** The setting to change when it is broken. */
  readonly key: string;
  readonly reads: readonly string[];
  /** The reason as the end of a sentence, or null when the rule holds. */
  broken(get: Lookup, situation: Situation): string | null;
}

export interface Situation {
  /** True for `postrider dev`, which listens on loopback only and brings its own inbox. */
  readonly development: boolean;
}

export type ValuesOf<S> = {
  readonly [G in keyof S]: S[G] extends Setting<infer V>
    ? V
    : { readonly [K in keyof S[G]]: S[G][K] extends Setting<infer T> ? T : never };
};

export type OverridesOf<S> = {
  readonly [G in keyof S]?: S[G] extends Setting<infer V>
    ? V | undefined
    : { readonly [K in keyof S[G]]?: (S[G][K] extends Setting<infer T> ? T : never) | undefined };
};
