import { didYouMean, MAX_RATE_LIMIT, MAX_WINDOW_SECONDS, PostriderError } from '../kernel/index.js';
import type { EmailDeclaration, EmailType } from './define-email.js';

/**
 * Whether a declaration can become a type: every field of it, and that its samples fit its own schema. The first thing
 * that does not hold is INVALID_CONFIG with the field's name, where the type is declared and not where it is sent.
 */
// biome-ignore lint/suspicious/noExplicitAny: a declaration of any data
export function checkDeclaration(declaration: EmailDeclaration<string, any>): void {
  if (typeof declaration !== 'object' || declaration === null)
    throw new PostriderError('INVALID_CONFIG', 'An email type is declared with an object.', {
      field: 'type',
    });
  const { type } = declaration;
  if (typeof type !== 'string' || !TYPE_NAME.test(type))
    throw problem(
      String(type),
      'type',
      'must be a letter and up to 63 letters, digits, dots, hyphens or underscores',
    );
  const unknown = Object.keys(declaration).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) {
    const suggestion = didYouMean(unknown, FIELDS);
    throw problem(
      type,
      unknown,
      `is not a field of a type${suggestion ? `; did you mean ${suggestion}` : ''}`,
    );
  }
  for (const [field, [fits, form]] of Object.entries(RULES)) {
    const value = (declaration as unknown as Record<string, unknown>)[field];
    if (value === undefined ? NEEDED.includes(field) : !fits(value))
      throw problem(type, field, `must be ${form}`);
  }
  checkContentShape(type, declaration.content);
  checkSubjectFields(declaration);
  checkSample(declaration, 'sample', declaration.sample);
  for (const [name, sample] of Object.entries(declaration.moreSamples ?? {}))
    checkSample(declaration, `moreSamples.${name}`, sample);
}

/** Whether this was made by defineEmail, in this copy of the package or another. */
export function isEmailType(value: unknown): value is EmailType {
  if (typeof value !== 'object' || value === null) return false;
  const { type, expiresInMs, data } = value as Partial<EmailType>;
  return typeof type === 'string' && expiresInMs !== undefined && isSchema(data);
}

export const PORTALS = ['admin', 'hub', 'org', 'agency', 'app', 'rss'] as const;
export type Portal = (typeof PORTALS)[number];
const TYPE_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const CATEGORY = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const RETRIES = ['gateway', 'outbox', 'system', 'broker', 'bus'];
const DELIVERIES = ['at-least-once', 'at-most-once'];
const NEEDED = ['portal', 'category', 'data'];

type Rule = [fits: (value: unknown) => boolean, form: string];
const RULES: Record<string, Rule> = {
  portal: [(value) => PORTALS.includes(value as never), `one of ${PORTALS.join(', ')}`],
  category: [
    (value) => typeof value === 'string' && CATEGORY.test(value),
    'a word of up to 64 letters, digits, dots, hyphens or underscores that starts with a letter, such as reminders',
  ],
  essential: [(value) => typeof value === 'boolean', 'true or false'],
  data: [isSchema, 'a Zod schema, such as z.strictObject({ name: z.string() })'],
  moreSamples: [isObject, 'an object of samples by name'],
  priority: [(value) => [1, 2, 3, 4].includes(value as number), '1, 2, 3 or 4'],
  rateLimit: [
    (value) => value === null || isRateLimit(value),
    `{ limit, windowSeconds } with whole numbers above 0, limit up to ${MAX_RATE_LIMIT}; windowSeconds may be null, countBy is userId or address`,
  ],
  retry: [(value) => RETRIES.includes(value as string), `one of ${RETRIES.join(', ')}`],
  delivery: [(value) => DELIVERIES.includes(value as string), DELIVERIES.join(' or ')],
  expiresIn: [
    (value) => Number.isFinite(readDuration(value)) && readDuration(value) > 0,
    'milliseconds above 0 or text such as 15m, 24h, 7d',
  ],
  sensitive: [(value) => typeof value === 'boolean', 'true or false'],
  subjectFields: [
    (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
    "a list of the data's fields, such as ['name']",
  ],
  content: [isObject, '{ subject, html, text?, messages? }'],
  attachments: [(value) => typeof value === 'function', 'a function from the data to a list of files'],
};
/** expiresInMs comes along when a type is declared from another; expiresIn says it. */
const FIELDS = ['type', 'sample', 'expiresInMs', ...Object.keys(RULES)];
const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds, or NaN. */
export function readDuration(input: unknown): number {
  if (typeof input === 'number') return input;
  const match = typeof input === 'string' ? /^(\d{1,6})(s|m|h|d)$/.exec(input) : null;
  return match ? Number(match[1]) * UNITS[match[2]!]! : Number.NaN;
}

/** A name that is no field would allow nothing, and on a type that is not sensitive every field is allowed. */
function checkSubjectFields(
  // biome-ignore lint/suspicious/noExplicitAny: a declaration of any data
  { type, sensitive, subjectFields = [], data }: EmailDeclaration<string, any>,
): void {
  if (subjectFields.length === 0) return;
  if (!sensitive) throw problem(type, 'subjectFields', 'is for types that are sensitive');
  const { shape } = data as { shape?: object };
  const unknown = shape && subjectFields.find((name) => !Object.hasOwn(shape, name));
  if (unknown !== undefined)
    throw problem(type, 'subjectFields', `names ${unknown}, which is no field of data`);
}

function checkContentShape(type: string, content: unknown): void {
  if (content === undefined) return;
  const { subject, html, text, messages, ...others } = content as Record<string, unknown>;
  const other = Object.keys(others)[0];
  if (other !== undefined) throw problem(type, `content.${other}`, 'is not subject, html, text or messages');
  for (const [field, value] of Object.entries({ subject, html, text: text ?? '' }))
    if (typeof value !== 'string') throw problem(type, `content.${field}`, 'must be a string');
  if (messages === undefined) return;
  if (!isObject(messages)) throw problem(type, 'content.messages', 'must hold texts by language');
  for (const [lang, texts] of Object.entries(messages)) {
    const wrong = isObject(texts) ? Object.entries(texts).find(([, one]) => typeof one !== 'string') : [''];
    if (wrong) throw problem(type, `content.messages.${lang}`, 'must hold texts by key');
  }
}

function checkSample(
  { type, data }: { type: string; data: { safeParse: Parse } },
  field: string,
  sample: unknown,
): void {
  if (sample === undefined) throw problem(type, field, 'is needed: data to show and to check it with');
  let result: ReturnType<Parse>;
  try {
    result = data.safeParse(sample);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw problem(type, 'data', `cannot be checked at once, without waiting: ${reason}`);
  }
  const issue = result.error?.issues[0];
  if (!issue) return;
  const path = issue.path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  throw problem(type, `${field}${path}`, `does not fit data: ${issue.message}`);
}

type Parse = (input: unknown) => {
  error?: { issues: Array<{ path: PropertyKey[]; message: string }> } | undefined;
};

function isSchema(value: unknown): boolean {
  return typeof (value as { safeParse?: unknown } | null | undefined)?.safeParse === 'function';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isRateLimit(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { limit, windowSeconds, countBy = 'address' } = value;
  const isCount = (number: unknown, most: number) =>
    Number.isSafeInteger(number) && Number(number) > 0 && Number(number) <= most;
  return (
    isCount(limit, MAX_RATE_LIMIT) &&
    (windowSeconds === null || isCount(windowSeconds, MAX_WINDOW_SECONDS)) &&
    (countBy === 'userId' || countBy === 'address')
  );
}

function problem(type: string, field: string, what: string): PostriderError {
  return new PostriderError('INVALID_CONFIG', `The email type ${type}: ${field} ${what}.`, { field });
}
