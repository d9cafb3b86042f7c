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
    return dateFormatter(kind, options, isDay ? 'UTC' : zoneOf(scope), field)(at);
  });
}

export interface DateOptions {
  locale: string;
  format: Intl.DateTimeFormatOptions;
  /** UTC where none is given; a day without a time has no zone. */
  timeZone: Value | null;
}

export function formatNumber(value: Value, locale: string, format: Intl.NumberFormatOptions): Value {
  const formatter = new Intl.NumberFormat(locale, format);
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

const MAX_FORMATTERS = 1000;
const formatters = new Map<string, (at: number) => string>();

function dateFormatter(
  kind: string,
  { locale, format }: DateOptions,
  timeZone: string,
  field: string,
): (at: number) => string {
  const key = kind + timeZone;
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const made = rememberLast(newFormatter(locale, { ...format, timeZone }, field));
  if (formatters.size >= MAX_FORMATTERS) formatters.delete(formatters.keys().next().value!);
  formatters.set(key, made);
  return made;
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
