import type { Derived, EnvName, Parsed, Setting } from './setting.js';

/**
 * The kinds a setting can be. Each reads text from the environment and typed values from code and file
 * by the same rules; nothing is rounded, clamped or guessed: what does not fit is refused with the reason.
 */
export function text(declared: TextOptions<string>): Setting<string>;
export function text(declared: TextOptions<string | null>): Setting<string | null>;
export function text(declared: TextOptions<string | null>): Setting<string | null> {
  const form = declared.form ?? 'text';
  return setting<string | null>(declared, form, (raw) => {
    if (typeof raw !== 'string' || raw === '') return refuse(`must be ${form}`);
    if (/[\u0000-\u001f\u007f]/.test(raw)) return refuse('must not contain control characters');
    if (declared.fits && !declared.fits(raw)) return refuse(`must be ${form}`);
    return { ok: true, value: raw };
  });
}

/** A URL whose password, if it has one, is masked wherever it is shown. */
export function url(declared: UrlOptions<string>): Setting<string>;
export function url(declared: UrlOptions<string | null>): Setting<string | null>;
export function url(declared: UrlOptions<string | null>): Setting<string | null> {
  const form = `a URL starting with ${declared.schemes.map((scheme) => `${scheme}://`).join(' or ')}`;
  return {
    ...setting<string | null>({ ...declared, secret: true }, form, (raw) => {
      // `user@/name?host=/folder` is how a socket is written; WHATWG wants a host there.
      const fits =
        typeof raw === 'string' &&
        declared.schemes.some((scheme) => raw.startsWith(`${scheme}://`)) &&
        URL.canParse(raw.replace('@/', '@socket/'));
      return fits ? { ok: true, value: raw } : refuse(`must be ${form}`);
    }),
    show: (value) => (value === null ? '–' : maskedUrl(value)),
  };
}

export function integer(declared: IntegerOptions<number>): Setting<number>;
export function integer(declared: IntegerOptions<number | null>): Setting<number | null>;
export function integer(declared: IntegerOptions<number | null>): Setting<number | null> {
  const form = `a whole number from ${declared.min} to ${declared.max}`;
  return setting<number | null>(declared, form, (raw) => {
    const value = typeof raw === 'string' && /^-?\d+$/.test(raw.trim()) ? Number(raw) : raw;
    return inRange(value, declared, form);
  });
}

/** Bytes: a plain number, or one with KB, MB or GB (steps of 1024). */
export function bytes(declared: IntegerOptions<number>): Setting<number> {
  const form = `a size from ${shownBytes(declared.min)} to ${shownBytes(declared.max)}, such as 16MB`;
  return {
    ...setting<number>(declared, form, (raw) =>
      inRange(withUnit(raw, BYTE_UNITS, 'B') ?? raw, declared, form),
    ),
    show: shownBytes,
  };
}

/** Milliseconds: a number in code and file, text such as `500ms`, `5s`, `2m` or `1h` anywhere. */
export function duration(declared: DurationOptions): Setting<number> {
  const form = `a duration from ${shownMs(declared.min)} to ${shownMs(declared.max)}, such as 500ms or 5s`;
  const env = declared.env.map((name) =>
    typeof name === 'string' ? { name, plainUnit: declared.plainUnit } : name,
  );
  return {
    ...setting<number>({ ...declared, env }, form, (raw) =>
      inRange(withUnit(raw, DURATION_UNITS) ?? raw, declared, form),
    ),
    show: shownMs,
  };
}

export function boolean(declared: Declared<boolean>): Setting<boolean> {
  return setting<boolean>(declared, 'true or false', (raw) => {
    const word = typeof raw === 'string' ? raw.trim().toLowerCase() : raw;
    if (word === true || word === 'true' || word === '1' || word === 'yes' || word === 'on')
      return { ok: true, value: true };
    if (word === false || word === 'false' || word === '0' || word === 'no' || word === 'off')
      return { ok: true, value: false };
    return refuse('must be true or false');
  });
}

export function choice<const C extends string>(choices: readonly C[], declared: Declared<C>): Setting<C> {
  const form = choices.map((one) => `\`${one}\``).join(' or ');
  return setting<C>(declared, form, (raw) => {
    const found = choices.find((one) => one === raw);
    if (found !== undefined) return { ok: true, value: found };
    return refuse(`must be one of those available: ${choices.join(', ')}`);
  });
}

/** Several of the choices, separated by commas in text. */
export function list<const C extends string>(
  choices: readonly C[],
  declared: Declared<readonly C[]>,
): Setting<readonly C[]> {
  const form = `one or more of ${choices.join(', ')}, separated by commas`;
  return {
    ...setting<readonly C[]>(declared, form, (raw) => {
      const items: unknown[] =
        typeof raw === 'string' ? raw.split(',').map((item) => item.trim()) : asArray(raw);
      const value = items.filter((item): item is C => choices.some((one) => one === item));
      const fits = items.length > 0 && value.length === items.length;
      return fits ? { ok: true, value: [...new Set(value)] } : refuse(`must be ${form}`);
    }),
    show: (value) => value.join(','),
  };
}

/** Several pieces of text that fit, separated by commas in text; lower case, each once. */
export function words(
  declared: Declared<readonly string[] | null> & { form: string; fits: (word: string) => boolean },
): Setting<readonly string[] | null> {
  const form = `${declared.form}, separated by commas`;
  return {
    ...setting<readonly string[] | null>(declared, form, (raw) => {
      const items: unknown[] =
        typeof raw === 'string' ? raw.split(',').map((item) => item.trim()) : asArray(raw);
      const value = items
        .filter((item): item is string => typeof item === 'string')
        .map((w) => w.toLowerCase());
      const fits = items.length > 0 && value.length === items.length && value.every(declared.fits);
      return fits ? { ok: true, value: [...new Set(value)] } : refuse(`must be ${form}`);
    }),
    show: (value) => (value === null ? '–' : value.join(',')),
  };
}

/**
 * A structure, as it is in code and file and as JSON in text; `parse` judges it, `show` hides its secrets. It counts as
 * secret unless it says that it holds none.
 */
export function structure<T>(
  declared: Declared<T | null> & {
    form: string;
    parse: (raw: unknown) => Parsed<T>;
    show: (value: T) => string;
  },
): Setting<T | null> {
  return {
    ...setting<T | null>({ secret: true, ...declared }, declared.form, (raw) => {
      if (typeof raw !== 'string') return declared.parse(raw);
      try {
        return declared.parse(JSON.parse(raw));
      } catch {
        return refuse(`must be ${declared.form} as JSON`);
      }
    }),
    show: (value) => (value === null ? '–' : declared.show(value)),
  };
}

interface Declared<T> {
  env: readonly (string | EnvName)[];
  default: T | Derived<T>;
  says: string;
  secret?: boolean;
}

type TextOptions<T> = Declared<T> & { form?: string; fits?: (value: string) => boolean };
type UrlOptions<T> = Declared<T> & { schemes: readonly string[] };
type IntegerOptions<T> = Declared<T> & Range;
type DurationOptions = Declared<number> & Range & { plainUnit: 'ms' | 's' };

interface Range {
  min: number;
  max: number;
}

function setting<T>(declared: Declared<T>, form: string, parse: (raw: unknown) => Parsed<T>): Setting<T> {
  return {
    form,
    env: declared.env.map((name) => (typeof name === 'string' ? { name } : name)),
    default: declared.default,
    says: declared.says,
    secret: declared.secret ?? false,
    parse: (raw) => (raw === null && declared.default === null ? { ok: true, value: null as T } : parse(raw)),
    show: (value) => (value === null ? '–' : declared.secret ? '(hidden)' : String(value)),
  };
}

function refuse(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}

function inRange(value: unknown, range: Range, form: string): Parsed<number> {
  const fits = Number.isSafeInteger(value) && Number(value) >= range.min && Number(value) <= range.max;
  return fits ? { ok: true, value: value as number } : refuse(`must be ${form}`);
}

function asArray(raw: unknown): unknown[] {
  return Array.isArray(raw) ? raw : [];
}

const BYTE_UNITS = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };
const DURATION_UNITS = { MS: 1, S: 1000, M: 60_000, H: 3_600_000 };

/** `16MB` → 16777216; null when it is not text of that shape. */
function withUnit(raw: unknown, units: Record<string, number>, plain?: string): number | null {
  const match = typeof raw === 'string' ? /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(raw.trim()) : null;
  if (!match) return null;
  const factor = units[(match[2] || plain || '').toUpperCase()];
  return factor === undefined ? null : Number(match[1]) * factor;
}

function shownBytes(value: number): string {
  if (value > 0 && value % BYTE_UNITS.MB === 0) return `${value / BYTE_UNITS.MB}MB`;
  return value > 0 && value % BYTE_UNITS.KB === 0 ? `${value / BYTE_UNITS.KB}KB` : `${value}`;
}

function shownMs(value: number): string {
  if (value > 0 && value % DURATION_UNITS.H === 0) return `${value / DURATION_UNITS.H}h`;
  return value > 0 && value % DURATION_UNITS.S === 0 ? `${value / DURATION_UNITS.S}s` : `${value}ms`;
}

/** Works on the text, so that what a URL parser would reject or rewrite is masked too. */
function maskedUrl(value: string): string {
  return value
    .replace(/^([^:]+:\/\/[^:/?#@]*):.*@/s, '$1:***@')
    .replace(/([?&])([^=&?]*)=[^&]*/g, (whole, mark: string, name: string) =>
      /pass|secret|token|key/i.test(name) ? `${mark}${name}=***` : whole,
    );
}
