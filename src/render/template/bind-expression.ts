import { bindMessage, type Message } from './bind-message.js';
import { shapeOf } from './data-shape.js';
import { DATE_FORMATS, formatDate, formatNumber, NUMBER_FORMATS, TIME_FORMATS } from './format-value.js';
import type { Expression } from './syntax.js';
import { type Constant, type Dynamic, readPath, type Value } from './value.js';

/**
 * Turns an expression into a value: what is known now is worked out now, what comes with the data becomes a reader.
 * Throws a sentence about what cannot be.
 */
export function bindExpression(expression: Expression, names: Names): Value {
  switch (expression.kind) {
    case 'literal':
      return { constant: expression.value };
    case 'path':
      return bindPath(expression.segments, names);
    case 'call':
      return bindCall(expression, names);
  }
}

/** What the names of a template mean where an expression stands. */
export interface Names {
  locale: string;
  /** `brand`, `locale` and `app`: the same for every email. */
  constants: Record<string, Record<string, string>>;
  /** What a piece was given, or null where the data itself is visible. */
  given: Record<string, Value> | null;
  /** Names of the open lists, the outermost first. */
  lists: ReadonlyArray<{
    as: string;
    field: Dynamic['field'];
    /** Where in the scope. */
    at: number;
    /** Of an item. */
    shape?: unknown;
  }>;
  /** The fields the data can have, or null where that is not known. */
  fields: ReadonlySet<string> | null;
  /** The schema of the data, for the fields inside its fields. */
  schema?: unknown;
  /** The only fields that may stand here, or null where every one may. */
  shown: ReadonlySet<string> | null;
  message(key: string): Message;
}

function bindPath(segments: readonly string[], names: Names): Value {
  const [first, ...rest] = segments as [string, ...string[]];
  const list = names.lists.findLast(({ as }) => as === first);
  if (list) {
    return {
      get: (scope) => readPath(scope.items[list.at], rest),
      field: (scope) => dotted(`${list.field(scope)}[${scope.indexes[list.at]}]`, rest),
      shape: shapeOf(list.shape, rest, first),
    };
  }
  if (Object.hasOwn(names.constants, first)) return bindConstant(first, rest, names);
  if (first === 'this') throw new Error('"this" is the item of a list, and there is none around');
  if (names.given) return bindGiven(first, rest, names.given);
  if (names.fields && !names.fields.has(first))
    throw new Error(`"${first}" is not a field of this type; there are ${[...names.fields].join(', ')}`);
  if (names.shown && !names.shown.has(first)) throw new Error(maybeSecret(first, [...names.shown]));
  const field = dotted('data', segments);
  // What the engine adds is in no schema.
  const shape =
    rest.length === 0 && first === 'unsubscribeUrl' ? null : shapeOf(names.schema, segments, 'data');
  return { get: (scope) => readPath(scope.data, segments), field: () => field, shape };
}

function maybeSecret(field: string, shown: readonly string[]): string {
  const others = shown.length === 0 ? 'nothing of its data may' : `only ${shown.join(', ')} may`;
  return `"${field}" may be secret: a subject and a preheader are seen in lists, in logs and on locked screens, so of a sensitive type ${others} stand there`;
}

function bindConstant(group: string, rest: readonly string[], names: Names): Constant {
  const values = names.constants[group]!;
  const [name] = rest;
  if (rest.length !== 1 || name === undefined || !Object.hasOwn(values, name))
    throw new Error(`there is no ${dotted(group, rest)}; there are ${Object.keys(values).join(', ')}`);
  return { constant: values[name]! };
}

function bindGiven(first: string, rest: readonly string[], given: Record<string, Value>): Value {
  const value = Object.hasOwn(given, first) ? given[first]! : undefined;
  // Not given is absent, so that a piece can ask with {{#if}}.
  if (value === undefined) return { get: () => undefined, field: () => first };
  if (rest.length === 0) return value;
  if ('constant' in value) throw new Error(`"${first}" is given as text and has no ${rest.join('.')}`);
  return {
    get: (scope) => readPath(value.get(scope), rest),
    field: (scope) => dotted(value.field(scope), rest),
    shape: shapeOf(value.shape, rest, first),
  };
}

function bindCall(call: Extract<Expression, { kind: 'call' }>, names: Names): Value {
  const named: Record<string, Value> = Object.fromEntries(
    Object.entries(call.named).map(([name, value]) => [name, bindExpression(value, names)]),
  );
  const [first, second] = call.values;
  if (call.function === 't') {
    if (first?.kind !== 'literal' || typeof first.value !== 'string' || call.values.length > 1)
      throw new Error('t needs the key of a text in quotes: {{t "welcome.title"}}');
    return bindMessage(names.message(first.value), named);
  }
  if (first === undefined || call.values.length > 2)
    throw new Error(`${call.function} needs a value and perhaps a format`);
  const { timeZone = null, currency, ...others } = named;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) throw new Error(`${call.function} does not take ${unknown}`);
  const value = bindExpression(first, names);
  const { locale } = names;
  if (call.function === 'number') {
    if (timeZone) throw new Error('number does not take timeZone');
    if (currency !== undefined && !('constant' in currency))
      throw new Error('a currency is written in quotes: currency="EUR"');
    if (currency !== undefined && !CURRENCIES.has(String(currency.constant)))
      throw new Error(`there is no currency "${currency.constant}"; write its code, as "EUR"`);
    const format = currency ? { style: 'currency' as const, currency: String(currency.constant) } : {};
    return formatNumber(value, locale, { ...formatOf(second, NUMBER_FORMATS, 'decimal'), ...format });
  }
  if (currency !== undefined) throw new Error(`${call.function} does not take currency`);
  const formats = call.function === 'date' ? DATE_FORMATS : TIME_FORMATS;
  return formatDate(value, { locale, timeZone, format: formatOf(second, formats, 'short') });
}

/** Intl takes any three letters, and each makes a formatter of its own. */
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

function formatOf<T>(expression: Expression | undefined, formats: Record<string, T>, usual: string): T {
  const name =
    expression === undefined ? usual : expression.kind === 'literal' ? String(expression.value) : '';
  if (!Object.hasOwn(formats, name))
    throw new Error(
      `the format is one of ${Object.keys(formats)
        .map((format) => `"${format}"`)
        .join(', ')}`,
    );
  return formats[name]!;
}

function dotted(first: string, rest: readonly string[]): string {
  return [first, ...rest].join('.');
}
