import { IntlMessageFormat } from 'intl-messageformat';
import { messageOf } from '../../kernel/index.js';
import {
  DATE_FORMATS,
  formatDate,
  formatNumber,
  NUMBER_FORMATS,
  pluralRulesOf,
  readNumber,
  TIME_FORMATS,
} from './format-value.js';
import { type Dynamic, isConstant, type Scope, textOf, type Value } from './value.js';

/**
 * An ICU message of a locale, parsed once, bound to the values a template gives it: arguments, plural, select,
 * numbers, dates and times. Markup in a message is text. Throws a sentence when the message is malformed or needs a
 * value it is not given.
 */
export function bindMessage(message: Message, given: Record<string, Value>): Value {
  const binding: Binding = { locale: message.locale, given, timeZone: given.timeZone ?? null, counted: null };
  return join(message.elements.map((element) => bindElement(element, binding)));
}

export interface Message {
  locale: string;
  elements: readonly Element[];
}

/** Throws a sentence when it is not a message. */
export function parseMessage(text: string, locale: string): Message {
  if (!/[{']/.test(text)) return { locale, elements: [{ type: KIND.literal, value: text }] };
  return { locale, elements: readElements(text, locale) };
}

function readElements(text: string, locale: string): Element[] {
  try {
    const format = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
    return format.getAst() as unknown as Element[];
  } catch (error) {
    throw new Error(`"${text.slice(0, 40)}" is not an ICU message (${messageOf(error)})`);
  }
}

/** The names a message needs, those inside its branches too. */
export function argumentsOf(elements: readonly Element[]): Set<string> {
  const names = new Set<string>();
  for (const element of elements) {
    if (element.type !== KIND.literal && element.type !== KIND.pound) names.add(element.value);
    for (const option of Object.values(element.options ?? {}))
      for (const name of argumentsOf(option.value)) names.add(name);
  }
  return names;
}

/** The numbers the parser gives its elements. */
const KIND = {
  literal: 0,
  argument: 1,
  number: 2,
  date: 3,
  time: 4,
  select: 5,
  plural: 6,
  pound: 7,
} as const;

interface Element {
  type: number;
  value: string;
  style?: string | { parsedOptions?: object } | null;
  options?: Record<string, { value: Element[] }>;
  offset?: number;
  pluralType?: 'cardinal' | 'ordinal';
}

interface Binding {
  locale: string;
  given: Record<string, Value>;
  timeZone: Value | null;
  /** What # stands for. */
  counted: Value | null;
}

function bindElement(element: Element, binding: Binding): Value {
  if (element.type === KIND.literal) return { constant: element.value };
  if (element.type === KIND.pound) return binding.counted ?? { constant: '#' };
  const { locale, timeZone } = binding;
  const value = Object.hasOwn(binding.given, element.value) ? binding.given[element.value]! : undefined;
  if (value === undefined) throw new Error(`the text needs ${element.value}, which is not given`);
  switch (element.type) {
    case KIND.argument:
      return value;
    case KIND.number:
      return formatNumber(value, locale, styleOf(element, NUMBER_FORMATS, 'decimal'));
    case KIND.date:
      return formatDate(value, { locale, timeZone, format: styleOf(element, DATE_FORMATS, 'medium') });
    case KIND.time:
      return formatDate(value, { locale, timeZone, format: styleOf(element, TIME_FORMATS, 'short') });
    case KIND.select:
      return choose(value, bindOptions(element, binding), (found) => String(found));
    case KIND.plural:
      return bindPlural(element, value, binding);
    default:
      throw new Error('the text holds something that is not possible in an email');
  }
}

function styleOf(element: Element, named: Record<string, object>, usual: string): object {
  const { style } = element;
  if (typeof style === 'object' && style !== null) return style.parsedOptions ?? {};
  const found = named[style ?? usual];
  if (found === undefined)
    throw new Error(`"${style}" is not a format; there are ${Object.keys(named).join(', ')}`);
  return found;
}

function bindPlural(element: Element, value: Value, binding: Binding): Value {
  const offset = element.offset ?? 0;
  const rules = pluralRulesOf(binding.locale, element.pluralType ?? 'cardinal');
  const number = asDynamic(value);
  const reduced: Value =
    offset === 0
      ? value
      : {
          get: (scope) => readNumber(number.get(scope), number.field(scope)) - offset,
          field: number.field,
        };
  const counted = formatNumber(reduced, binding.locale, {});
  const options = bindOptions(element, { ...binding, counted });
  return choose(value, options, (found, field) => {
    const count = readNumber(found, field);
    return Object.hasOwn(options, `=${count}`) ? `=${count}` : rules.select(count - offset);
  });
}

function bindOptions(element: Element, binding: Binding): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(element.options ?? {}).map(([name, option]) => [
      name,
      join(option.value.map((inner) => bindElement(inner, binding))),
    ]),
  );
}

function choose(
  value: Value,
  options: Record<string, Value>,
  pick: (found: unknown, field: string) => string,
): Value {
  const dynamic = asDynamic(value);
  const texts = new Map(Object.entries(options).map(([name, option]) => [name, textOf(option)]));
  const other = texts.get('other');
  if (other === undefined) throw new Error('the text has a choice without "other"');
  return {
    get: (scope) => (texts.get(pick(dynamic.get(scope), dynamic.field(scope))) ?? other)(scope),
    field: dynamic.field,
  };
}

function asDynamic(value: Value): Dynamic {
  if (!isConstant(value)) return value;
  return { get: () => value.constant, field: () => `"${value.constant}"` };
}

function join(values: readonly Value[]): Value {
  if (values.every(isConstant)) return { constant: values.map((value) => String(value.constant)).join('') };
  if (values.length === 1) return values[0]!;
  const parts = values.map(textOf);
  const first = values.find((value): value is Dynamic => !isConstant(value))!;
  return {
    get(scope: Scope) {
      let text = '';
      for (const part of parts) text += part(scope);
      return text;
    },
    field: first.field,
  };
}
