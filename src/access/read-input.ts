import { z } from 'zod';
import {
  type Declared,
  declare,
  isEmailAddress,
  isRegionName,
  isStorableText,
  PostriderError,
  parseHeaderText,
  pathTo,
  REGION_NAME,
} from '../kernel/index.js';

/** A schema of this room that reads what it describes. */
export function inputOf<Schema extends z.ZodType>(schema: Schema): Declared<z.output<Schema>, Schema> {
  return declare(
    () => schema,
    (input) => readInput(schema, input),
  );
}

/**
 * Input from a door as its schema says, or INVALID_PAYLOAD that names the field; unknown fields are refused. In code
 * nothing at all is an empty object; null, as a body of JSON may be, is none.
 */
export function readInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const read = schema.safeParse(input === undefined ? {} : input);
  if (read.success) return read.data;
  const issue = read.error.issues[0]!;
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const path = [...issue.path, ...(unknown === undefined ? [] : [unknown])];
  const field = path.reduce<string>(placeIn, '');
  const problem = unknown === undefined ? issue.message : 'there is no such field';
  throw new PostriderError('INVALID_PAYLOAD', `${field || 'The body'}: ${problem}.`, field ? { field } : {});
}

/** Written as every other room writes it: `fromDomains[0]`. */
function placeIn(path: string, key: PropertyKey): string {
  return typeof key === 'number' ? `${path}[${key}]` : pathTo(path, String(key));
}

/** The same form as in an email. */
export const companyId = z
  .string('must be text')
  .regex(
    /^[A-Za-z0-9._:-]{1,128}$/,
    'must be 1 to 128 letters, digits, dots, colons, hyphens or underscores',
  );

/** Rows of a page; text in a query. */
export const pageLimit = z.coerce
  .number('must be a whole number from 1 to 1000')
  .int()
  .min(1)
  .max(1000)
  .default(100);

const A_REGION = 'must be the name of a region';

export const region = z.string('must be text').regex(REGION_NAME, A_REGION).refine(isRegionName, A_REGION);

const MAX_LABEL = 120;
const ONE_LINE = `must be one line of at most ${MAX_LABEL} characters`;

/** One line a person reads. */
export const label = z
  .string('must be text')
  .min(1, 'must not be empty')
  .max(MAX_LABEL, ONE_LINE)
  .superRefine((text, context) => {
    if (text.trim() === '') context.addIssue({ code: 'custom', message: 'must not be empty' });
    try {
      parseHeaderText(text, 'it', { maxLength: MAX_LABEL });
    } catch {
      context.addIssue({ code: 'custom', message: ONE_LINE });
    }
  });

/** One address, without a name. */
export const address = z.string('must be text').refine(isEmailAddress, 'must be an email address');

// Written out, not with the flag for any case: what the description of the API shows of it has no flags.
const DOMAIN =
  /^(?=.{1,253}$)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/;

/** In ASCII and lower case, as addresses are stored; an empty list allows none. */
export const domains = z
  .array(
    z
      .string('must be text')
      .regex(DOMAIN, 'must be a domain such as example.com, in its ASCII form')
      .transform((text) => text.toLowerCase()),
    'must be a list of domains',
  )
  .max(200, 'must be at most 200 domains')
  .transform((list) => [...new Set(list)]);

export const anyText = z.string('must be text').refine(isStorableText, 'must be valid Unicode');
