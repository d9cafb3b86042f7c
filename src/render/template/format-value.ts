import { dataProblem } from './template-problem.js';
import { type Dynamic, isConstant, type Scope, textOf, type Value } from './value.js';

/**
 * Dates, times and numbers as a locale writes them. Making an Intl formatter costs a hundred times what using one
 * does, so they are kept, a bounded number of them.
 */
export function formatDate(value: Value, options: DateOptions): Value {
  const zoneOf = options.timeZone === null ? () => 'UTC' : textOf(options.timeZone);
  const kind = `${options.locale} ${JSON.stringify(options.format)} `;
  return made(value, (found, scope, field) => {
    const { at, isDay } = readInstant(found, field);
    const timeZone = isDay ? 'UTC' : zoneOf(scope);
    const { dateFormats } = scope.budget;
    dateFormats.add(kind + timeZone);
    if (dateFormats.size > MAX_DATE_FORMATS)
      throw dataProblem(field, `is shown in more than ${MAX_DATE_FORMATS} time zones and formats`);
    return dateFormatter(kind, options, timeZone, field)(at);
  });
}

export interface DateOptions {
  locale: string;
  format: Intl.DateTimeFormatOptions;
  /** UTC where none is given; a day without a time has no zone. */
  timeZone: Value | null;
}

export function formatNumber(value: Value, locale: string, format: Intl.NumberFormatOptions): Value {
  const formatter = numberFormatter(locale, format);
  return made(value, (found, _, field) => formatter.format(readNumber(found, field)));
}

export function readNumber(found: unknown, field: string): number {
  if (typeof found === 'number' && Number.isFinite(found)) return found;
  throw dataProblem(field, found === undefined || found === null ? 'is missing' : 'is not a number');
}

export const DATE_FORMATS: Record<string, Intl.DateTimeFormatOptions> = {
  short: { dateStyle: 'short' },
  medium: { dateStyle: 'medium' },
  long: { dateStyle: 'long' },
  full: { dateStyle: 'full' },
};

export const TIME_FORMATS: Record<string, Intl.DateTimeFormatOptions> = {
  short: { timeStyle: 'short' },
  medium: { timeStyle: 'medium' },
  // Intl refuses a zone's name beside timeStyle, so it is spelt out.
  long: { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
};

export const NUMBER_FORMATS: Record<string, Intl.NumberFormatOptions> = {
  decimal: {},
  integer: { maximumFractionDigits: 0 },
  percent: { style: 'percent' },
};

function made(value: Value, format: (found: unknown, scope: Scope, field: string) => string): Value {
  const dynamic: Dynamic = isConstant(value)
    ? { get: () => value.constant, field: () => `"${value.constant}"` }
    : value;
  return {
    get: (scope) => format(dynamic.get(scope), scope, dynamic.field(scope)),
    field: (scope) => dynamic.field(scope),
  };
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function readInstant(found: unknown, field: string): { at: number; isDay: boolean } {
  if (found === undefined || found === null) throw dataProblem(field, 'is missing');
  const at = typeof found === 'number' ? found : typeof found === 'string' ? Date.parse(found) : Number.NaN;
  if (!(Math.abs(at) <= 8.64e15)) throw dataProblem(field, 'is not a date');
  return { at, isDay: typeof found === 'string' && DAY.test(found) };
}

/** Of one email: the same template could name every zone there is in every format. */
const MAX_DATE_FORMATS = 200;
const MAX_FORMATTERS = 1000;
const formatters = new Map<string, (at: number) => string>();
const numberFormatters = new Map<string, Intl.NumberFormat>();
const pluralRules = new Map<string, Intl.PluralRules>();

function numberFormatter(locale: string, format: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale} ${JSON.stringify(format)}`;
  return kept(numberFormatters, key, () => new Intl.NumberFormat(locale, format));
}

export function pluralRulesOf(locale: string, type: 'cardinal' | 'ordinal'): Intl.PluralRules {
  return kept(pluralRules, `${locale} ${type}`, () => new Intl.PluralRules(locale, { type }));
}

function kept<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  if (known.size >= MAX_FORMATTERS) known.delete(known.keys().next().value!);
  known.set(key, made);
  return made;
}

function dateFormatter(
  kind: string,
  { locale, format }: DateOptions,
  timeZone: string,
  field: string,
): (at: number) => string {
  return kept(formatters, kind + timeZone, () =>
    rememberLast(newFormatter(locale, { ...format, timeZone }, field)),
  );
}

function newFormatter(
  locale: string,
  format: Intl.DateTimeFormatOptions,
  field: string,
): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(locale, format);
  } catch {
    throw dataProblem(field, 'cannot be shown in this time zone; use a name such as Europe/Berlin');
  }
}

/**
 * One email shows the same moment in its subject, HTML and text, and formatting it costs 5 µs. From CLDR 48 on Intl
 * writes AM and PM in Korean, which nobody there does.
 */
function rememberLast(formatter: Intl.DateTimeFormat): (at: number) => string {
  let last = Number.NaN;
  let text = '';
  const isKorean = /^ko\b/i.test(formatter.resolvedOptions().locale);
  return (at) => {
    if (at !== last) {
      text = formatter.format(at);
      if (isKorean) text = text.replace(/\b[AP]M\b/, (period) => (period === 'AM' ? '오전' : '오후'));
      last = at;
    }
    return text;
  };
}
